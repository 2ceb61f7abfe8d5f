import { sql, type Selectable } from "kysely";
import type { Db } from "../handle.ts";
import type { ExportsTable } from "../tables.ts";

export type ExportRow = Selectable<ExportsTable>;

/** An export by its id (only that owner's), or the one of a project with a fingerprint that has not failed. */
export async function findExport(
  db: Db,
  input:
    | { readonly exportId: string; readonly ownerId: string }
    | { readonly projectId: string; readonly fingerprint: string },
): Promise<ExportRow | undefined> {
  const which =
    "exportId" in input
      ? sql`e.id = ${input.exportId} and p.owner_id = ${input.ownerId}`
      : sql`e.project_id = ${input.projectId} and e.fingerprint = ${input.fingerprint} and e.state <> 'failed'`;
  const result = await sql<ExportRow>`
    select e.* from exports e join projects p on p.id = e.project_id
    where ${which} and p.deleted_at is null`.execute(db);
  return result.rows[0];
}

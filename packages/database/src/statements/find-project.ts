import { sql, type Selectable } from "kysely";
import type { Db } from "../handle.ts";
import type { ProjectsTable } from "../tables.ts";

export type ProjectRow = Selectable<ProjectsTable> & { readonly file_name: string; readonly source_digest: string };

/** The project, if it is that owner's (of anybody when `ownerId` is absent) and not deleted. Takes no lock. */
export async function findProject(
  db: Db,
  input: { readonly projectId: string; readonly ownerId?: string },
): Promise<ProjectRow | undefined> {
  const result = await sql<ProjectRow>`
    select p.*, s.file_name, s.digest as source_digest from projects p join sources s on s.id = p.source_id
    where p.id = ${input.projectId} and p.deleted_at is null
      and (${input.ownerId ?? null}::text is null or p.owner_id = ${input.ownerId ?? null})`.execute(db);
  return result.rows[0];
}

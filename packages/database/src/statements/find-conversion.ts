import { sql, type Selectable } from "kysely";
import type { Db } from "../handle.ts";
import type { ConversionsTable } from "../tables.ts";

export type ConversionRow = Selectable<ConversionsTable>;

/** One conversion, by its id or by its project and idempotency key; only that owner's. Takes no lock. */
export async function findConversion(
  db: Db,
  input: { readonly ownerId: string } & (
    { readonly conversionId: string } | { readonly projectId: string; readonly idempotencyKey: string }
  ),
): Promise<ConversionRow | undefined> {
  const which =
    "conversionId" in input
      ? sql`c.id = ${input.conversionId}`
      : sql`c.project_id = ${input.projectId} and c.idempotency_key = ${input.idempotencyKey}`;
  const result = await sql<ConversionRow>`
    select c.* from conversions c join projects p on p.id = c.project_id
    where ${which} and c.owner_id = ${input.ownerId} and p.deleted_at is null`.execute(db);
  return result.rows[0];
}

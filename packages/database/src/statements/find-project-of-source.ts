import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** The owner's newest project of a source with this digest whose import has not failed. Takes no lock. */
export async function findProjectOfSource(
  db: Db,
  input: { readonly ownerId: string; readonly digest: string },
): Promise<string | undefined> {
  const result = await sql<{ id: string }>`
    select p.id from sources s join projects p on p.source_id = s.id
    where s.digest = ${input.digest} and p.owner_id = ${input.ownerId} and p.deleted_at is null
      and p.import_state <> 'failed'
    order by p.created_at desc, p.id desc limit 1`.execute(db);
  return result.rows[0]?.id;
}

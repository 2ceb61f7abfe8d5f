import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Projects whose import task is done and whose rows the loader has yet to bring in. */
export async function listImportsToLoad(
  db: Db,
): Promise<readonly { readonly id: string; readonly import_index_key: string }[]> {
  const result = await sql<{ id: string; import_index_key: string }>`
    select id, import_index_key from projects
    where import_index_key is not null and import_state in ('waiting', 'running') and deleted_at is null
    order by id limit 100`.execute(db);
  return result.rows;
}

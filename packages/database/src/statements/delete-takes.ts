import { sql } from "kysely";
import type { Db } from "../handle.ts";
import { isOneOf } from "../is-one-of.ts";

/** Forgets takes whose audio is gone, so that they are rendered anew. In the order of keys, as they are written. */
export async function deleteTakes(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    delete from takes where key in (
      select key from takes
      where key ${isOneOf(keys)} order by key for update
    )`.execute(db);
}

import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Locks documents in the order of their ids, after conversions and tasks, before their counts are taken again. */
export async function lockDocuments(db: Db, ids: readonly string[]): Promise<void> {
  await sql`
    select id from documents where id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))
    order by id for update`.execute(db);
}

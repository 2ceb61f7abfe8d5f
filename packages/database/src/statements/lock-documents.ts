import { sql } from "kysely";
import type { Db } from "../handle.ts";
import { isOneOf } from "../is-one-of.ts";

/** Locks documents in the order of their ids, after conversions and tasks, before their counts are taken again. */
export async function lockDocuments(db: Db, ids: readonly string[]): Promise<void> {
  await sql`
    select id from documents where id ${isOneOf(ids)}
    order by id for update`.execute(db);
}

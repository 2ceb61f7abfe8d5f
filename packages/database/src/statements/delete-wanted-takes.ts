import { sql } from "kysely";
import type { Db } from "../handle.ts";
import { isOneOf } from "../is-one-of.ts";

/** Forgets what segments wanted to be heard as. */
export async function deleteWantedTakes(db: Db, segmentIds: readonly string[]): Promise<void> {
  await sql`
    delete from wanted_takes
    where segment_id ${isOneOf(segmentIds)}`.execute(db);
}

import { sql } from "kysely";
import type { Db } from "../handle.ts";
import { taskLanes, type TaskLane } from "../tables.ts";

/** First key of the lock; the second is the lane. */
const family = 7_201;

/** Only one dispatcher at a time claims tasks of a lane. Held until the transaction ends. */
export async function lockLane(db: Db, lane: TaskLane): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(family)}, ${sql.lit(taskLanes.indexOf(lane))})`.execute(db);
}

import { sql } from "kysely";
import type { Db } from "../handle.ts";
import type { TaskLane } from "../tables.ts";

export interface LaneLoad {
  /** Tasks of the lane that are queued or running. */
  readonly held: number;
  /** Whether one of them has the lane for itself. */
  readonly alone: boolean;
}

/** How much of a lane is under way, counted under the lane's lock. */
export async function laneLoad(db: Db, lane: TaskLane): Promise<LaneLoad> {
  const result = await sql<LaneLoad>`
    select count(*) as held, coalesce(bool_or(alone), false) as alone
    from tasks where lane = ${lane} and state in ('queued', 'running')`.execute(db);
  return result.rows[0] ?? { held: 0, alone: false };
}

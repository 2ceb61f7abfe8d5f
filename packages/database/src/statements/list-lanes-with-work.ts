import { sql } from "kysely";
import type { Db } from "../handle.ts";
import { taskLanes, type TaskLane } from "../tables.ts";

export interface LaneWithWork {
  readonly lane: TaskLane;
  /** Tasks of the lane that are queued or running. */
  readonly held: number;
}

/** Lanes with a task that is due: a cheap look without a lock, before a lane's lock is taken. */
export async function listLanesWithWork(db: Db, nowMs: number): Promise<readonly LaneWithWork[]> {
  const result = await sql<LaneWithWork>`
    select lane, (
      select count(*) from tasks h where h.lane = l.lane and h.state in ('queued', 'running')
    ) as held
    from jsonb_array_elements_text(${JSON.stringify(taskLanes)}::jsonb) as l(lane)
    where exists (select 1 from tasks t where t.lane = l.lane and t.state = 'pending' and t.not_before <= ${nowMs})`.execute(
    db,
  );
  return result.rows;
}

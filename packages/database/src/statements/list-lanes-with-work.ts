import { sql } from "kysely";
import type { Db } from "../handle.ts";
import { taskLanes, type TaskLane } from "../tables.ts";

/** Lanes with a task that is due: a cheap look without a lock, before a lane's lock is taken. */
export async function listLanesWithWork(db: Db, nowMs: number): Promise<readonly TaskLane[]> {
  const result = await sql<{ lane: TaskLane }>`
    select lane from jsonb_array_elements_text(${JSON.stringify(taskLanes)}::jsonb) as l(lane)
    where exists (select 1 from tasks t where t.lane = l.lane and t.state = 'pending' and t.not_before <= ${nowMs})`.execute(
    db,
  );
  return result.rows.map((row) => row.lane);
}

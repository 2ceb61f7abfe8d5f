import { sql } from "kysely";
import type { Db } from "../handle.ts";
import type { TaskLane } from "../tables.ts";

/** The task of a lane that has waited longest to be run alone. Under the lane's lock. */
export async function findAloneTask(
  db: Db,
  input: { readonly lane: TaskLane; readonly nowMs: number },
): Promise<{ readonly id: string; readonly not_before: number } | undefined> {
  const result = await sql<{ id: string; not_before: number }>`
    select t.id, t.not_before from tasks t left join conversions c on c.id = t.conversion_id
    where t.lane = ${input.lane} and t.state = 'pending' and t.alone and t.not_before <= ${input.nowMs}
      and (c.id is null or c.state in ('planning', 'running'))
    order by t.not_before, t.id limit 1`.execute(db);
  return result.rows[0];
}

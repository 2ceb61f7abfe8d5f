import { sql, type Selectable } from "kysely";
import type { Db } from "../handle.ts";
import type { TasksTable } from "../tables.ts";
import { tasksOfTakes, type TouchedBy } from "./find-touched-tasks.ts";
import { isOneOf } from "../is-one-of.ts";

export type LockedTask = Omit<Selectable<TasksTable>, "payload">;

/**
 * Locks the tasks that a batch of results touches, in the order of their ids. Tasks of conversions outside
 * `conversionIds` are left alone: they came after the conversions were locked, and their own result ends them.
 */
export async function lockTouchedTasks(
  db: Db,
  input: TouchedBy & { readonly conversionIds: readonly string[] },
): Promise<readonly LockedTask[]> {
  const result = await sql<LockedTask>`
    select id, kind, project_id, conversion_id, export_id, document_id, lane, state, attempt, max_attempts, crashes,
      alone, lease_until, bus_epoch, not_before, priority, ordinal, take_key, reason_code, reason, cure, created_at,
      ended_at
    from tasks
    where (id ${isOneOf(input.taskIds)} or id = any(array(${tasksOfTakes(input.takeKeys)})))
      and (conversion_id is null
        or conversion_id ${isOneOf(input.conversionIds)})
    order by id for update`.execute(db);
  return result.rows;
}

import { sql, type Selectable } from "kysely";
import type { Db } from "../handle.ts";
import type { TaskLane, TasksTable } from "../tables.ts";

export type ClaimedTask = Pick<
  Selectable<TasksTable>,
  "id" | "kind" | "project_id" | "conversion_id" | "export_id" | "attempt" | "priority" | "take_key" | "payload"
> & { readonly rendering: Record<string, unknown> | null };

interface Lease {
  readonly leaseUntilMs: number;
  readonly busEpoch: string;
}

export type ClaimChoice =
  /** The next tasks of conversions, as many of each as is said. */
  | { readonly shares: readonly { readonly conversion_id: string; readonly n: number }[]; readonly nowMs: number }
  /** The oldest tasks of a lane whose tasks belong to no conversion. */
  | { readonly lane: TaskLane; readonly limit: number; readonly nowMs: number }
  | { readonly taskId: string };

/**
 * Takes pending tasks for publishing: `queued`, one attempt more, a lease. Rows that somebody else holds are passed
 * over, so it never waits; the lane's lock keeps other dispatchers away and the collector's rows are not pending.
 */
export async function claimTasks(db: Db, choice: ClaimChoice, lease: Lease): Promise<readonly ClaimedTask[]> {
  const result = await sql<ClaimedTask>`
    with chosen as (${choose(choice)}), claimed as (
      update tasks t set state = 'queued', attempt = t.attempt + 1, lease_until = ${lease.leaseUntilMs},
        bus_epoch = ${lease.busEpoch}
      from chosen where t.id = chosen.id
      returning t.id, t.kind, t.project_id, t.conversion_id, t.export_id, t.attempt, t.priority, t.ordinal, t.take_key,
        t.payload
    )
    select claimed.*, c.rendering from claimed left join conversions c on c.id = claimed.conversion_id
    order by claimed.priority, claimed.ordinal, claimed.id`.execute(db);
  return result.rows;
}

function choose(choice: ClaimChoice) {
  if ("shares" in choice)
    return sql`
      select t.id from jsonb_to_recordset(${JSON.stringify(choice.shares)}::jsonb) as s(conversion_id text, n integer)
      cross join lateral (
        select id from tasks
        where conversion_id = s.conversion_id and state = 'pending' and not_before <= ${choice.nowMs} and not alone
        order by priority, ordinal limit s.n for update skip locked
      ) t`;
  if ("lane" in choice)
    return sql`
      select id from tasks
      where lane = ${choice.lane} and conversion_id is null and state = 'pending' and not_before <= ${choice.nowMs}
        and not alone
      order by priority, created_at, id limit ${choice.limit} for update skip locked`;
  return sql`select id from tasks where id = ${choice.taskId} and state = 'pending' for update skip locked`;
}

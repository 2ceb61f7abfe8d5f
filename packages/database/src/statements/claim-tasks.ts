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
  /**
   * The next tasks of conversions, as many of each as is said; of a conversion's last `tail` tasks the longest first, so
   * that no slot works on a long one alone while the others have nothing left.
   */
  | {
      readonly shares: readonly { readonly conversion_id: string; readonly n: number }[];
      readonly tail: number;
      readonly nowMs: number;
    }
  /** The oldest tasks of a lane whose tasks belong to no conversion. */
  | { readonly lane: TaskLane; readonly limit: number; readonly nowMs: number }
  | { readonly taskId: string };

/**
 * Takes pending tasks for publishing, in the order in which they are to be published: `queued`, one attempt more, a
 * lease. Rows that somebody else holds are passed over, so it never waits; the lane's lock keeps other dispatchers away
 * and the collector's rows are not pending.
 */
export async function claimTasks(db: Db, choice: ClaimChoice, lease: Lease): Promise<readonly ClaimedTask[]> {
  const result = await sql<ClaimedTask>`
    with chosen as materialized (${choose(choice)}), claimed as (
      update tasks t set state = 'queued', attempt = t.attempt + 1, lease_until = ${lease.leaseUntilMs},
        bus_epoch = ${lease.busEpoch}
      from chosen where t.id = chosen.id
      returning t.id, t.kind, t.project_id, t.conversion_id, t.export_id, t.attempt, t.priority, t.take_key, t.payload,
        chosen.turn
    )
    select claimed.*, c.rendering from claimed left join conversions c on c.id = claimed.conversion_id
    order by claimed.priority, claimed.turn, claimed.id`.execute(db);
  return result.rows;
}

function choose(choice: ClaimChoice) {
  if ("shares" in choice)
    return sql`
      select t.id, t.turn from jsonb_to_recordset(${JSON.stringify(choice.shares)}::jsonb) as s(conversion_id text, n integer)
      cross join lateral (
        select id, row_number() over (order by priority, last, case when last then -symbols end, place) as turn
        from (
          select id, priority, symbols, place, seen < s.n + ${choice.tail} and place > seen - ${choice.tail} as last
          from (
            select id, priority, length(payload ->> 'phonemes') as symbols,
              row_number() over (order by priority, ordinal) as place, count(*) over () as seen
            from (
              select id, priority, ordinal, payload from tasks
              where conversion_id = s.conversion_id and state = 'pending' and not_before <= ${choice.nowMs}
                and not alone
              order by priority, ordinal limit s.n + ${choice.tail} for update skip locked
            ) due
          ) placed
        ) marked
        order by turn limit s.n
      ) t`;
  if ("lane" in choice)
    return sql`
      select id, row_number() over (order by priority, created_at, id) as turn from (
        select id, priority, created_at from tasks
        where lane = ${choice.lane} and conversion_id is null and state = 'pending' and not_before <= ${choice.nowMs}
          and not alone
        order by priority, created_at, id limit ${choice.limit} for update skip locked
      ) due`;
  return sql`select id, 1 as turn from tasks where id = ${choice.taskId} and state = 'pending' for update skip locked`;
}

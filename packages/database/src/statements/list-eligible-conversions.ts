import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface EligibleConversion {
  readonly id: string;
  readonly owner_id: string;
  /** Tasks that could be claimed now, counted up to the limit. */
  readonly due: number;
  /** Priority of the first of them. */
  readonly priority: number;
  readonly virtual_time: number;
}

/** Conversions of a speech lane that have tasks to give out, with their owner's virtual time; oldest first. */
export async function listEligibleConversions(
  db: Db,
  input: { readonly lane: "cpu" | "gpu"; readonly nowMs: number; readonly limit: number },
): Promise<readonly EligibleConversion[]> {
  const result = await sql<EligibleConversion>`
    select c.id, c.owner_id, d.due, d.priority, coalesce(o.virtual_time, 0) as virtual_time
    from conversions c
    cross join lateral (
      select count(*) as due, min(first.priority) as priority from (
        select priority from tasks
        where conversion_id = c.id and state = 'pending' and not_before <= ${input.nowMs} and not alone
        order by priority, ordinal limit ${input.limit}
      ) first
    ) d
    left join owner_clocks o on o.lane = c.lane and o.owner_id = c.owner_id
    where c.lane = ${input.lane} and c.state in ('planning', 'running') and d.due > 0
    order by c.created_at, c.id`.execute(db);
  return result.rows;
}

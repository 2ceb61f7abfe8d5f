import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Cancels up to `limit` pending tasks of a conversion that the caller has locked; says how many. */
export async function cancelPendingTasks(
  db: Db,
  input: { readonly conversionId: string; readonly nowMs: number; readonly limit: number },
): Promise<number> {
  const result = await sql<{ id: string }>`
    update tasks set state = 'cancelled', ended_at = ${input.nowMs}
    where id in (
      select id from tasks where conversion_id = ${input.conversionId} and state = 'pending'
      order by id limit ${input.limit} for update
    )
    returning id`.execute(db);
  return result.rows.length;
}

import { sql } from "kysely";
import type { Db } from "../handle.ts";

/**
 * Failed tasks of a conversion that the caller has locked become pending again, with as many attempts as a new task;
 * at most `limit` of them. Says how many.
 */
export async function retryFailedTasks(
  db: Db,
  input: { readonly conversionId: string; readonly limit: number },
): Promise<number> {
  const result = await sql<{ id: string }>`
    update tasks set state = 'pending', max_attempts = attempt + 5, crashes = 0, alone = crashes > 0, not_before = 0,
      reason_code = null, reason = null, cure = null, ended_at = null
    where id in (
      select id from tasks where conversion_id = ${input.conversionId} and state = 'failed'
      order by id limit ${input.limit} for update
    )
    returning id`.execute(db);
  return result.rows.length;
}

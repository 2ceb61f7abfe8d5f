import { sql } from "kysely";
import type { Db } from "../handle.ts";
import { isOneOf } from "../is-one-of.ts";

export interface TouchedBy {
  readonly taskIds: readonly string[];
  /** Keys of takes that have come: every live or failed task with one of them is touched. */
  readonly takeKeys: readonly string[];
}

/** Ids of the conversions whose tasks a batch of results touches. Read without a lock, to know what to lock. */
export async function findTouchedConversions(db: Db, touched: TouchedBy): Promise<readonly string[]> {
  const result = await sql<{ conversion_id: string }>`
    select distinct conversion_id from tasks
    where conversion_id is not null and (
      id ${isOneOf(touched.taskIds)} or id = any(array(${tasksOfTakes(touched.takeKeys)})))
    order by conversion_id`.execute(db);
  return result.rows.map((row) => row.conversion_id);
}

export const tasksOfTakes = (takeKeys: readonly string[]) => sql`
  select id from tasks
  where take_key ${isOneOf(takeKeys)}
    and state in ('pending', 'queued', 'running', 'failed')`;

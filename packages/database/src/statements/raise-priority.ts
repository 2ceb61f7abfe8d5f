import { sql } from "kysely";
import type { Db } from "../handle.ts";

/**
 * Puts pending tasks first whose takes are wanted by the segments that follow a place, at most `limit`. Says the
 * number. Passes over rows that somebody holds: they are being dispatched already.
 */
export async function raisePriority(
  db: Db,
  input: { readonly segmentId: string; readonly limit: number; readonly priority: number },
): Promise<number> {
  const result = await sql<{ id: string }>`
    with here as (select document_id, ordinal from segments where id = ${input.segmentId}),
    wanted as (
      select w.take_key, w.conversion_id from segments s
      join here on here.document_id = s.document_id and s.ordinal >= here.ordinal
      join wanted_takes w on w.segment_id = s.id
      order by s.ordinal, w.ordinal limit ${input.limit}
    )
    update tasks set priority = ${input.priority}
    where id in (
      select t.id from tasks t join wanted on wanted.take_key = t.take_key and wanted.conversion_id = t.conversion_id
      where t.state = 'pending' and t.priority > ${input.priority} for update of t skip locked
    )
    returning id`.execute(db);
  return result.rows.length;
}

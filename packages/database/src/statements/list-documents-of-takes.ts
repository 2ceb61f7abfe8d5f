import { sql } from "kysely";
import type { Db } from "../handle.ts";
import { isOneOf } from "../is-one-of.ts";

/** Documents with a segment that wants one of these takes, with the conversion that wants it, in the order of their ids. */
export async function listDocumentsOfTakes(
  db: Db,
  takeKeys: readonly string[],
): Promise<readonly { readonly document_id: string; readonly conversion_id: string }[]> {
  if (takeKeys.length === 0) return [];
  const result = await sql<{ document_id: string; conversion_id: string }>`
    select s.document_id, max(w.conversion_id) as conversion_id
    from wanted_takes w join segments s on s.id = w.segment_id
    where w.take_key ${isOneOf(takeKeys)}
    group by s.document_id order by s.document_id`.execute(db);
  return result.rows;
}

import type { ErrorCode } from "@katari/core";
import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface FailedSegmentRow {
  readonly id: string;
  readonly text: string;
  readonly characters: number;
  readonly reason: string;
  /** Kind of the reason, and what to do about it, where the task says so. */
  readonly code: ErrorCode | null;
  readonly cure: string | null;
}

/** Segments that are not ready because a task that they wait for has failed, in order. With `documents`, only of those. */
export async function listFailedSegments(
  db: Db,
  input: { readonly projectId: string; readonly documents?: readonly string[] },
): Promise<readonly FailedSegmentRow[]> {
  const documents = input.documents === undefined ? null : JSON.stringify(input.documents);
  const result = await sql<FailedSegmentRow>`
    select s.id, s.text, s.characters, (array_agg(coalesce(k.reason, 'failed') order by k.id))[1] as reason,
      (array_agg(k.reason_code order by k.id))[1] as code, (array_agg(k.cure order by k.id))[1] as cure
    from tasks k
    join wanted_takes w on w.take_key = k.take_key and w.conversion_id = k.conversion_id
    join segments s on s.id = w.segment_id
    join documents d on d.id = s.document_id
    where k.project_id = ${input.projectId} and k.state = 'failed'
      and not exists (select 1 from takes t where t.key = k.take_key)
      and (${documents}::jsonb is null or s.document_id in (select jsonb_array_elements_text(${documents}::jsonb)))
    group by s.id, d.ordinal
    order by d.ordinal, s.ordinal`.execute(db);
  return result.rows;
}

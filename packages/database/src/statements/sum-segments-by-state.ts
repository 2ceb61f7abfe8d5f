import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface SegmentSums {
  /** Characters of segments whose takes all exist, of those that only make a pause, and of all others. */
  readonly ready: number;
  readonly silent: number;
  readonly others: number;
}

/** Characters of a project's segments by how they stand. With `documents`, only of those. No lock. */
export async function sumSegmentsByState(
  db: Db,
  input: { readonly projectId: string; readonly documents?: readonly string[] },
): Promise<SegmentSums> {
  const documents = input.documents === undefined ? null : JSON.stringify(input.documents);
  const result = await sql<SegmentSums>`
    with wanting as (
      select w.segment_id, count(*) = count(t.key) as ready
      from segments s
      join wanted_takes w on w.segment_id = s.id
      left join takes t on t.key = w.take_key
      where s.project_id = ${input.projectId}
      group by w.segment_id
    ), state as (
      select s.characters, f.voiced, coalesce(w.ready, false) as ready
      from segments s
      left join spoken_forms f on f.segment_id = s.id
      left join wanting w on w.segment_id = s.id
      where s.project_id = ${input.projectId}
        and (${documents}::jsonb is null or s.document_id in (select jsonb_array_elements_text(${documents}::jsonb)))
    )
    select
      coalesce(sum(characters) filter (where ready), 0)::bigint as ready,
      coalesce(sum(characters) filter (where not ready and voiced is false), 0)::bigint as silent,
      coalesce(sum(characters) filter (where not ready and voiced is not false), 0)::bigint as others
    from state`.execute(db);
  return result.rows[0] ?? { ready: 0, silent: 0, others: 0 };
}

import { sql } from "kysely";
import type { Boundary, TakePart } from "@katari/core";
import type { Db } from "../handle.ts";

/** A take that a segment wants; everything but `key` is null while the take is not there. */
export interface WantedTakeRow {
  readonly key: string;
  readonly audioKey: string | null;
  readonly sampleRate: number | null;
  readonly part: TakePart | null;
  /** Why its task failed, while that is how it stands. */
  readonly failure: string | null;
}

export interface SegmentRow {
  readonly id: string;
  readonly document_id: string;
  readonly block_id: string;
  readonly block_kind: string;
  readonly ordinal: number;
  readonly text: string;
  readonly characters: number;
  readonly boundary: Boundary;
  /** Null: not planned yet. */
  readonly voiced: boolean | null;
  readonly spoken: string | null;
  /** In the order in which they are heard; empty for a segment that is not converted or only a pause. */
  readonly takes: readonly WantedTakeRow[];
}

/** Segments of a document after a place, in order, each with the takes that it wants. At most 1,000; no lock. */
export async function listSegments(
  db: Db,
  input: {
    readonly documentId: string;
    /** Ordinal of the last segment of the page before; -1 for the first page. */
    readonly after: number;
    readonly limit: number;
  },
): Promise<readonly SegmentRow[]> {
  const result = await sql<SegmentRow>`
    select s.id, s.document_id, s.block_id, b.kind as block_kind, s.ordinal, s.text, s.characters, s.boundary,
      f.voiced, f.form ->> 'spoken' as spoken, w.takes
    from segments s
    join blocks b on b.id = s.block_id
    left join spoken_forms f on f.segment_id = s.id
    cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object(
        'key', w.take_key, 'audioKey', t.audio_key, 'sampleRate', t.sample_rate,
        'part', t.parts -> w.take_part,
        'failure', case when t.key is null then (
          select coalesce(k.reason, 'failed') from tasks k
          where k.take_key = w.take_key and k.state = 'failed' and k.conversion_id = w.conversion_id limit 1) end
      ) order by w.ordinal), '[]'::jsonb) as takes
      from wanted_takes w left join takes t on t.key = w.take_key
      where w.segment_id = s.id
    ) w
    where s.document_id = ${input.documentId} and s.ordinal > ${input.after}
    order by s.ordinal limit ${input.limit}`.execute(db);
  return result.rows;
}

import type { PauseSettings } from "@katari/core";
import { sql } from "kysely";
import type { Db } from "../handle.ts";
import { isOneOf } from "../is-one-of.ts";

export interface DocumentCounts {
  readonly id: string;
  readonly project_id: string;
  readonly voiced_segments: number;
  readonly ready_segments: number;
  readonly audio_ms: number;
}

/**
 * Counts segments of documents again and returns those whose counts have changed: those that make sound, those whose takes all exist, and how long these are with
 * the pauses after them (a project's own pauses go over the given ones). The caller has locked the documents with a statement before this one, so that this one sees
 * what the last holder of the lock committed.
 */
export async function recountDocuments(
  db: Db,
  input: { readonly documentIds: readonly string[]; readonly pauses: PauseSettings; readonly marginMs: number },
): Promise<readonly DocumentCounts[]> {
  const pauses = JSON.stringify(input.pauses);
  const result = await sql<DocumentCounts>`
    with parts as (
      select s.id, s.document_id, s.boundary,
        count(*) = count(t.key) as ready,
        sum((((t.parts -> w.take_part ->> 'soundEndSamples')::bigint
          - (t.parts -> w.take_part ->> 'soundStartSamples')::bigint) * 1000) / t.sample_rate
          + 2 * ${input.marginMs}::integer) as sound_ms
      from segments s
      join wanted_takes w on w.segment_id = s.id
      left join takes t on t.key = w.take_key
      where s.document_id ${isOneOf(input.documentIds)}
      group by s.id
    ), ready as (
      select document_id, count(*) filter (where ready) as ready,
        sum(sound_ms + coalesce((boundary ->> 'pauseMs')::numeric,
          ((${pauses}::jsonb || coalesce(p.settings -> 'pauses', '{}')) ->> (boundary ->> 'kind'))::numeric, 0))
          filter (where ready) as audio_ms
      from parts join documents on documents.id = parts.document_id join projects p on p.id = documents.project_id
      group by document_id
    ), voiced as (
      select s.document_id, count(*) as voiced
      from segments s join spoken_forms f on f.segment_id = s.id and f.voiced
      where s.document_id ${isOneOf(input.documentIds)}
      group by s.document_id
    ), counted as (
      select d.id, coalesce(v.voiced, 0)::integer as voiced, coalesce(r.ready, 0)::integer as ready,
        coalesce(r.audio_ms, 0)::bigint as audio_ms
      from documents d
      left join voiced v on v.document_id = d.id
      left join ready r on r.document_id = d.id
      where d.id ${isOneOf(input.documentIds)}
    )
    update documents d set voiced_segments = c.voiced, ready_segments = c.ready, audio_ms = c.audio_ms
    from counted c
    where d.id = c.id
      and row(d.voiced_segments, d.ready_segments, d.audio_ms) is distinct from row(c.voiced, c.ready, c.audio_ms)
    returning d.id, d.project_id, d.voiced_segments, d.ready_segments, d.audio_ms`.execute(db);
  return result.rows;
}

import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface NewSpeechTask {
  readonly id: string;
  readonly ordinal: number;
  readonly take_key: string;
  readonly payload: unknown;
}

/**
 * Writes tasks for those utterances whose take is missing, one for each take key of the conversion; says how many rows
 * were written. The caller holds the conversion's lock. A take that is registered at the same moment may still get a
 * task: the worker then finds the take in the store, and its result ends the task.
 */
export async function insertSpeechTasks(
  db: Db,
  input: {
    readonly projectId: string;
    readonly conversionId: string;
    readonly documentId: string;
    readonly lane: "cpu" | "gpu";
    readonly nowMs: number;
    readonly rows: readonly NewSpeechTask[];
  },
): Promise<number> {
  const result = await sql<{ id: string }>`
    insert into tasks (id, kind, project_id, conversion_id, document_id, lane, state, ordinal, take_key, payload, created_at)
    select r.id, 'speech', ${input.projectId}, ${input.conversionId}, ${input.documentId}, ${input.lane}, 'pending',
      r.ordinal, r.take_key, r.payload, ${input.nowMs}
    from jsonb_to_recordset(${JSON.stringify(input.rows)}::jsonb) as r(
      id text, ordinal integer, take_key text, payload jsonb)
    where not exists (select 1 from takes where takes.key = r.take_key)
    order by r.ordinal
    on conflict do nothing
    returning id`.execute(db);
  return result.rows.length;
}

import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface NewBlock {
  readonly id: string;
  readonly ordinal: number;
  readonly kind: string;
  readonly level?: number;
  readonly language: string;
  readonly text: string;
  readonly spans: unknown;
  readonly source_range: unknown;
  readonly anchor: unknown;
}

/** Writes blocks of one document; those that are there already stay. At most 1,000 at a time. */
export async function insertBlocks(
  db: Db,
  input: { readonly documentId: string; readonly rows: readonly NewBlock[] },
): Promise<void> {
  await sql`
    insert into blocks (id, document_id, ordinal, kind, level, language, text, spans, source_range, anchor)
    select id, ${input.documentId}, ordinal, kind, level, language, text, spans, source_range, anchor
    from jsonb_to_recordset(${JSON.stringify(input.rows)}::jsonb) as r(
      id text, ordinal integer, kind text, level integer, language text, text text, spans jsonb, source_range jsonb,
      anchor jsonb)
    on conflict do nothing`.execute(db);
}

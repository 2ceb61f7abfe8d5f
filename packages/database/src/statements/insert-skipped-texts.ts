import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface NewSkippedText {
  readonly id: string;
  readonly document_id?: string;
  readonly ordinal: number;
  readonly rule: string;
  readonly title?: string;
  readonly source_range: unknown;
  readonly characters: number;
}

/** Writes text that will not be voiced; what is there already stays. At most 1,000 at a time. */
export async function insertSkippedTexts(
  db: Db,
  input: { readonly projectId: string; readonly rows: readonly NewSkippedText[] },
): Promise<void> {
  await sql`
    insert into skipped_texts (id, project_id, document_id, ordinal, rule, title, source_range, characters)
    select id, ${input.projectId}, document_id, ordinal, rule, title, source_range, characters
    from jsonb_to_recordset(${JSON.stringify(input.rows)}::jsonb) as r(
      id text, document_id text, ordinal integer, rule text, title text, source_range jsonb, characters bigint)
    on conflict do nothing`.execute(db);
}

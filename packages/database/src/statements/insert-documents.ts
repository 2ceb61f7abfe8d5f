import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface NewDocument {
  readonly id: string;
  readonly ordinal: number;
  readonly title: string;
  readonly language: string;
  readonly anchor: unknown;
  readonly characters: number;
  readonly segments: number;
}

/** Writes chapters; those that are there already stay. At most 1,000 at a time. */
export async function insertDocuments(
  db: Db,
  input: { readonly projectId: string; readonly rows: readonly NewDocument[] },
): Promise<void> {
  await sql`
    insert into documents (id, project_id, ordinal, title, language, anchor, characters, segments)
    select id, ${input.projectId}, ordinal, title, language, anchor, characters, segments
    from jsonb_to_recordset(${JSON.stringify(input.rows)}::jsonb) as r(
      id text, ordinal integer, title text, language text, anchor jsonb, characters bigint, segments integer)
    on conflict do nothing`.execute(db);
}

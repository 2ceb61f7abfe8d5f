import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface NewSegment {
  readonly id: string;
  readonly block_id: string;
  readonly ordinal: number;
  readonly range_start: number;
  readonly range_end: number;
  readonly text: string;
  readonly boundary: unknown;
  readonly characters: number;
}

/** Writes segments of one document; those that are there already stay. At most 1,000 at a time. */
export async function insertSegments(
  db: Db,
  input: { readonly projectId: string; readonly documentId: string; readonly rows: readonly NewSegment[] },
): Promise<void> {
  await sql`
    insert into segments (id, project_id, document_id, block_id, ordinal, range_start, range_end, text, boundary, characters)
    select id, ${input.projectId}, ${input.documentId}, block_id, ordinal, range_start, range_end, text, boundary,
      characters
    from jsonb_to_recordset(${JSON.stringify(input.rows)}::jsonb) as r(
      id text, block_id text, ordinal integer, range_start integer, range_end integer, text text, boundary jsonb,
      characters integer)
    on conflict do nothing`.execute(db);
}

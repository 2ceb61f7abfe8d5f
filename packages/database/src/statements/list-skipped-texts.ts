import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface SkippedRow {
  readonly rule: string;
  readonly title: string | null;
  readonly characters: number;
}

/**
 * Text that is not voiced, added up by rule and title in the order of the source. With `documents`, only what lies
 * inside those.
 */
export async function listSkippedTexts(
  db: Db,
  input: { readonly projectId: string; readonly documents?: readonly string[] },
): Promise<readonly SkippedRow[]> {
  const documents = input.documents === undefined ? null : JSON.stringify(input.documents);
  const result = await sql<SkippedRow>`
    select rule, title, sum(characters)::bigint as characters from skipped_texts
    where project_id = ${input.projectId}
      and (${documents}::jsonb is null
        or document_id in (select jsonb_array_elements_text(${documents}::jsonb)))
    group by rule, title order by min(ordinal), rule, title`.execute(db);
  return result.rows;
}

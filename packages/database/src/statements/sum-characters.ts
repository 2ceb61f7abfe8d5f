import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface CharacterSums {
  readonly files: number;
  readonly segments: number;
  readonly skipped: number;
}

/** Characters of a project's files, segments and skipped texts: the first is the sum of the others, or text was lost. */
export async function sumCharacters(db: Db, projectId: string): Promise<CharacterSums> {
  const result = await sql<CharacterSums>`
    select
      (select coalesce(sum(characters), 0)::bigint from source_files where project_id = ${projectId}) as files,
      (select coalesce(sum(characters), 0)::bigint from segments where project_id = ${projectId}) as segments,
      (select coalesce(sum(characters), 0)::bigint from skipped_texts where project_id = ${projectId}) as skipped`.execute(
    db,
  );
  return result.rows[0] ?? { files: 0, segments: 0, skipped: 0 };
}

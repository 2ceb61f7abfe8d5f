import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Files of the source that carry text, in order. */
export async function listSourceFiles(
  db: Db,
  projectId: string,
): Promise<readonly { readonly path: string; readonly characters: number }[]> {
  const result = await sql<{ path: string; characters: number }>`
    select path, characters from source_files where project_id = ${projectId} order by ordinal`.execute(db);
  return result.rows;
}

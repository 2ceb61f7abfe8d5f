import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Writes files of the source; those that are there already stay. At most 1,000 at a time. */
export async function insertSourceFiles(
  db: Db,
  input: {
    readonly projectId: string;
    readonly files: readonly { readonly ordinal: number; readonly path: string; readonly characters: number }[];
  },
): Promise<void> {
  await sql`
    insert into source_files (project_id, ordinal, path, characters)
    select ${input.projectId}, ordinal, path, characters
    from jsonb_to_recordset(${JSON.stringify(input.files)}::jsonb) as r(ordinal integer, path text, characters bigint)
    on conflict do nothing`.execute(db);
}

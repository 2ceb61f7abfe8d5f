import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Writes what the import found out about the whole source. Locks the project's row. */
export async function describeProject(
  db: Db,
  input: {
    readonly projectId: string;
    readonly title: string;
    readonly authors: readonly string[];
    readonly language: string;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly coverKey?: string;
    readonly coverMediaType?: string;
  },
): Promise<void> {
  await sql`
    update projects set title = ${input.title}, authors = ${JSON.stringify(input.authors)}::jsonb,
      language = ${input.language}, metadata = ${JSON.stringify(input.metadata)}::jsonb,
      cover_key = ${input.coverKey ?? null}, cover_media_type = ${input.coverMediaType ?? null}
    where id = ${input.projectId}`.execute(db);
}

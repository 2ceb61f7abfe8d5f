import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Where a segment of a project stands. */
export async function findSegment(
  db: Db,
  input: { readonly projectId: string; readonly segmentId: string },
): Promise<{ readonly document_id: string; readonly ordinal: number } | undefined> {
  const result = await sql<{ document_id: string; ordinal: number }>`
    select document_id, ordinal from segments
    where id = ${input.segmentId} and project_id = ${input.projectId}`.execute(db);
  return result.rows[0];
}

import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Hides a project from everybody; its rows go afterwards, a batch at a time. Locks the project's row. */
export async function markProjectDeleted(
  db: Db,
  input: { readonly projectId: string; readonly nowMs: number },
): Promise<void> {
  await sql`update projects set deleted_at = ${input.nowMs} where id = ${input.projectId}`.execute(db);
}

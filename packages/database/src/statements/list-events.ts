import type { StoredEvent } from "@katari/core";
import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Events of a project after an id, in order. */
export async function listEvents(
  db: Db,
  input: { readonly projectId: string; readonly after: number; readonly limit: number },
): Promise<StoredEvent[]> {
  const result = await sql<{ id: number; at: number; event: StoredEvent["event"] }>`
    select id, at, event from events
    where project_id = ${input.projectId} and id > ${input.after} order by id limit ${input.limit}`.execute(db);
  return result.rows.map((row) => ({ projectId: input.projectId, id: row.id, atMs: row.at, event: row.event }));
}

import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Writes one import or export task, pending. */
export async function insertTask(
  db: Db,
  task: {
    readonly id: string;
    readonly kind: "import" | "export";
    readonly projectId: string;
    readonly exportId?: string;
    readonly payload: Readonly<Record<string, unknown>>;
    readonly nowMs: number;
  },
): Promise<void> {
  await sql`
    insert into tasks (id, kind, project_id, export_id, lane, state, ordinal, payload, created_at)
    values (${task.id}, ${task.kind}, ${task.projectId}, ${task.exportId ?? null}, ${task.kind}, 'pending', 0,
            ${JSON.stringify(task.payload)}::jsonb, ${task.nowMs})`.execute(db);
}

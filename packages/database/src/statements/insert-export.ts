import { sql } from "kysely";
import type { Db } from "../handle.ts";

/**
 * Writes an export, waiting. False when the project has the same one that has not failed, which the caller then reads;
 * two callers at once are held apart by the unique fingerprint.
 */
export async function insertExport(
  db: Db,
  input: {
    readonly id: string;
    readonly projectId: string;
    readonly format: string;
    readonly settings: Readonly<Record<string, unknown>>;
    readonly fingerprint: string;
    readonly planKey: string;
    readonly fileName: string;
    readonly nowMs: number;
  },
): Promise<boolean> {
  const result = await sql<{ id: string }>`
    insert into exports (id, project_id, format, settings, fingerprint, plan_key, file_name, state, created_at)
    values (${input.id}, ${input.projectId}, ${input.format}, ${JSON.stringify(input.settings)}::jsonb,
            ${input.fingerprint}, ${input.planKey}, ${input.fileName}, 'waiting', ${input.nowMs})
    on conflict (project_id, fingerprint) where state <> 'failed' do nothing
    returning id`.execute(db);
  return result.rows.length > 0;
}

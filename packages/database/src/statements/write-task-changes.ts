import type { ErrorCode, TaskState } from "@katari/core";
import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface TaskChange {
  readonly id: string;
  readonly state: TaskState;
  readonly max_attempts: number;
  readonly crashes: number;
  readonly alone: boolean;
  readonly lease_until: number | null;
  readonly not_before: number;
  readonly reason_code: ErrorCode | null;
  readonly reason: string | null;
  readonly cure: string | null;
  readonly ended_at: number | null;
}

/** Writes what became of tasks that the caller has locked. */
export async function writeTaskChanges(db: Db, rows: readonly TaskChange[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update tasks t set state = r.state, max_attempts = r.max_attempts, crashes = r.crashes, alone = r.alone,
      lease_until = r.lease_until, not_before = r.not_before, reason_code = r.reason_code, reason = r.reason,
      cure = r.cure, ended_at = r.ended_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(
      id text, state text, max_attempts integer, crashes integer, alone boolean, lease_until bigint, not_before bigint,
      reason_code text, reason text, cure text, ended_at bigint)
    where t.id = r.id`.execute(db);
}

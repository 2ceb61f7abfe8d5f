import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface NewConversion {
  readonly id: string;
  readonly projectId: string;
  readonly ownerId: string;
  readonly rendering: Readonly<Record<string, unknown>>;
  readonly lane: "cpu" | "gpu";
  readonly documentIds: readonly string[];
  readonly idempotencyKey?: string;
  readonly nowMs: number;
}

/**
 * Writes a conversion in the state `planning`. False when the project has one with the same idempotency key, which the
 * caller then reads; two callers at once are held apart by the unique key.
 */
export async function insertConversion(db: Db, input: NewConversion): Promise<boolean> {
  const result = await sql<{ id: string }>`
    insert into conversions (id, project_id, owner_id, state, rendering, lane, document_ids, idempotency_key, created_at)
    values (${input.id}, ${input.projectId}, ${input.ownerId}, 'planning', ${JSON.stringify(input.rendering)}::jsonb,
            ${input.lane}, ${JSON.stringify(input.documentIds)}::jsonb, ${input.idempotencyKey ?? null}, ${input.nowMs})
    on conflict (project_id, idempotency_key) do nothing
    returning id`.execute(db);
  return result.rows.length > 0;
}

import type { ErrorCode, WorkState } from "@katari/core";
import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Moves an export on; one that is ready or failed is not changed. Says whether a row was. */
export async function updateExport(
  db: Db,
  input: {
    readonly exportId: string;
    readonly state: WorkState;
    readonly progress: number;
    readonly file?: Readonly<Record<string, unknown>>;
    readonly failure?: { readonly code: ErrorCode; readonly message: string; readonly cure?: string };
  },
): Promise<boolean> {
  const file = input.file === undefined ? null : JSON.stringify(input.file);
  const result = await sql<{ id: string }>`
    update exports set state = ${input.state}, progress = greatest(progress, ${input.progress}::double precision),
      file = ${file}::jsonb,
      code = ${input.failure?.code ?? null}, message = ${input.failure?.message ?? null},
      cure = ${input.failure?.cure ?? null}
    where id = ${input.exportId} and state in ('waiting', 'running')
    returning id`.execute(db);
  return result.rows.length > 0;
}

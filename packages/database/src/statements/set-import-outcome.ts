import { sql } from "kysely";
import type { ErrorCode, WorkState } from "@katari/core";
import type { Db } from "../handle.ts";

/**
 * Moves a project's import on. `indexKey` is what the loader has to bring in. Only the states in `from` are changed;
 * says whether a row was. Locks the project's row, so nothing but its events may be written after it.
 */
export async function setImportOutcome(
  db: Db,
  input: {
    readonly projectId: string;
    readonly from: readonly WorkState[];
    readonly state: WorkState;
    readonly indexKey?: string;
    readonly failure?: { readonly code: ErrorCode; readonly message: string; readonly cure?: string };
  },
): Promise<boolean> {
  const result = await sql<{ id: string }>`
    update projects set
      import_state = ${input.state},
      import_index_key = coalesce(${input.indexKey ?? null}, import_index_key),
      import_code = ${input.failure?.code ?? null},
      import_message = ${input.failure?.message ?? null},
      import_cure = ${input.failure?.cure ?? null}
    where id = ${input.projectId}
      and import_state in (select jsonb_array_elements_text(${JSON.stringify(input.from)}::jsonb))
    returning id`.execute(db);
  return result.rows.length > 0;
}

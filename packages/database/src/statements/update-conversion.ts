import type { ConversionState } from "@katari/core";
import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Writes state and counts of a conversion that the caller has locked. `add…` are differences, so that none is lost. */
export async function updateConversion(
  db: Db,
  input: {
    readonly id: string;
    readonly state: ConversionState;
    readonly addRemaining?: number;
    readonly addFailed?: number;
    readonly addTasks?: number;
    readonly endedAtMs?: number;
    readonly message?: string;
  },
): Promise<void> {
  await sql`
    update conversions set state = ${input.state},
      remaining = remaining + ${input.addRemaining ?? 0}::integer,
      failed = failed + ${input.addFailed ?? 0}::integer,
      tasks = tasks + ${input.addTasks ?? 0}::integer,
      message = ${input.message ?? null},
      ended_at = ${input.endedAtMs ?? null}
    where id = ${input.id}`.execute(db);
}

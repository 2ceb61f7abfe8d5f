import type { Take } from "@katari/core";
import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Registers takes; the first row of a key wins and is never changed. In the order of keys, so that no two wait in a circle. */
export async function insertTakes(
  db: Db,
  input: { readonly takes: readonly Take[]; readonly nowMs: number },
): Promise<void> {
  if (input.takes.length === 0) return;
  await sql`
    insert into takes (key, audio_key, sample_rate, length_samples, parts, checks, created_at)
    select key, "audioKey", "sampleRate", "lengthSamples", parts, checks, ${input.nowMs}
    from jsonb_to_recordset(${JSON.stringify(input.takes)}::jsonb) as r(
      key text, "audioKey" text, "sampleRate" integer, "lengthSamples" integer, parts jsonb, checks jsonb)
    order by key
    on conflict (key) do nothing`.execute(db);
}

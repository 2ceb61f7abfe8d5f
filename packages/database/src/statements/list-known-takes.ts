import { sql } from "kysely";
import type { Db } from "../handle.ts";
import { isOneOf } from "../is-one-of.ts";

/** Those of the takes that are registered, with the object of their audio. No lock. */
export async function listKnownTakes(
  db: Db,
  keys: readonly string[],
): Promise<readonly { readonly key: string; readonly audio_key: string }[]> {
  if (keys.length === 0) return [];
  const result = await sql<{ key: string; audio_key: string }>`
    select key, audio_key from takes
    where key ${isOneOf(keys)} order by key`.execute(db);
  return result.rows;
}

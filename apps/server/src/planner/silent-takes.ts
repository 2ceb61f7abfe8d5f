import { listKnownTakes } from "@katari/database/statements";
import type { ServerContext } from "../server-context.ts";

/** Objects that are looked for at the same time. */
const concurrency = 16;

/**
 * Those of the takes that are registered although their audio is no longer in the store. A conversion would take them
 * for finished, and no export could ever be made from them.
 */
export async function listSilentTakes(
  { database, store }: Pick<ServerContext, "database" | "store">,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const silent: string[] = [];
  const left = (await listKnownTakes(database.db, keys)).values();
  const lookNext = async (): Promise<void> => {
    for (const { key, audio_key } of left)
      if ((await store.head(audio_key, { signal })) === undefined) silent.push(key);
  };
  await Promise.all(Array.from({ length: concurrency }, lookNext));
  return silent;
}

import type { ModelServer } from "@katari/inference";
import { pause } from "./job-intake.ts";

export interface ModelWatchOptions {
  readonly server: ModelServer;
  /** The server cannot answer for a model that is wanted: take no more of its work. */
  readonly onAway: () => void;
  /** It can again. */
  readonly onBack: () => void;
  readonly pollMs?: number;
}

export interface ModelWatch {
  /** A request for this model found nobody: look whether that lasts. */
  suspect(model: string, version: string): void;
  stop(): Promise<void>;
}

/**
 * Watches a model server from the first request that failed until it is ready again. A server that is only full is
 * ready, so a busy one does not count as away.
 */
export function createModelWatch({ server, onAway, onBack, pollMs = 1_000 }: ModelWatchOptions): ModelWatch {
  const stopping = new AbortController();
  const suspects = new Map<string, readonly [model: string, version: string]>();
  let watching: Promise<void> | undefined;

  const isReady = async (model: string, version: string): Promise<boolean> => {
    try {
      return await server.ready(model, version, { signal: stopping.signal });
    } catch {
      // That it cannot even be asked is the answer.
      return false;
    }
  };

  const watch = async (): Promise<void> => {
    let isAway = false;
    while (!stopping.signal.aborted) {
      for (const [key, [model, version]] of suspects) if (await isReady(model, version)) suspects.delete(key);
      if (stopping.signal.aborted) return;
      if (suspects.size === 0) {
        if (isAway) onBack();
        return;
      }
      if (!isAway) onAway();
      isAway = true;
      await pause(pollMs, stopping.signal);
    }
  };

  return {
    suspect(model, version) {
      suspects.set(JSON.stringify([model, version]), [model, version]);
      watching ??= watch().finally(() => {
        watching = undefined;
      });
    },
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}

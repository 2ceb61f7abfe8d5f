import { AppError } from "@katari/core";
import type { DatabaseHandle, Unlisten } from "@katari/database";
import { eventChannel } from "@katari/database/statements";
import type { Logger } from "../server-context.ts";

/** Wakes whoever waits for a project's events, in this process, whichever server wrote them. */
export interface Notifier {
  start(): Promise<void>;
  stop(): Promise<void>;
  onEvents(projectId: string, listener: () => void): () => void;
}

/**
 * The database says the project's id after each commit with events (NOTIFY). A listener is called without them: it asks
 * the database from its own position, so a call too many costs a question and one that is missed is made good by the
 * next. After a gap in the listening everybody is called.
 */
export function createNotifier(options: { readonly database: DatabaseHandle; readonly logger: Logger }): Notifier {
  const { database, logger } = options;
  const listeners = new Map<string, Set<() => void>>();
  let unlisten: Unlisten | undefined;

  const call = (listener: () => void): void => {
    try {
      listener();
    } catch (error) {
      logger.error({ error: AppError.from(error) }, "A listener for events failed.");
    }
  };

  return {
    async start() {
      unlisten ??= await database.listen(eventChannel, (projectId) => {
        const called = projectId === undefined ? [...listeners.values()] : [listeners.get(projectId) ?? []];
        for (const set of called) for (const listener of set) call(listener);
      });
    },
    async stop() {
      await unlisten?.();
      unlisten = undefined;
      listeners.clear();
    },
    onEvents(projectId, listener) {
      const set = listeners.get(projectId) ?? new Set();
      listeners.set(projectId, set);
      set.add(listener);
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(projectId) === set) listeners.delete(projectId);
      };
    },
  };
}

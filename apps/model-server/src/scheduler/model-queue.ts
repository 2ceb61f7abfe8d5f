import type { Clock } from "@katari/core";

/** A request that waits for a free instance of its model. */
export interface Waiting {
  readonly interactive: boolean;
}

/**
 * The requests that wait for one model, at most `limit`.
 *
 * Interactive requests go before bulk ones, each kind in order of arrival; a bulk request that has waited `ageingMs`
 * longer than the interactive one at the head goes first, so it is never starved. No instance is kept free for
 * interactive work: bulk uses all of them while nobody listens, and whoever listens gets the next one that ends.
 */
export interface ModelQueue<T extends Waiting> {
  /** False when the queue is full. */
  add(request: T): boolean;
  /** Takes out the request that goes next. */
  next(): T | undefined;
  /** Takes a request out, wherever it stands; false when it is not in. */
  remove(request: T): boolean;
  removeAll(): T[];
  readonly length: number;
  lengthOf(kind: "interactive" | "bulk"): number;
}

export function createModelQueue<T extends Waiting>(options: {
  readonly limit: number;
  readonly ageingMs: number;
  readonly clock: Clock;
}): ModelQueue<T> {
  type Entry = { readonly request: T; readonly since: number };
  const lanes: { interactive: Entry[]; bulk: Entry[] } = { interactive: [], bulk: [] };
  const laneOf = (request: T): Entry[] => (request.interactive ? lanes.interactive : lanes.bulk);
  const size = (): number => lanes.interactive.length + lanes.bulk.length;

  function removeWhere(which: (request: T) => boolean): T[] {
    const removed: T[] = [];
    for (const lane of [lanes.interactive, lanes.bulk])
      for (let at = lane.length - 1; at >= 0; at--) {
        const entry = lane[at];
        if (entry && which(entry.request)) {
          lane.splice(at, 1);
          removed.push(entry.request);
        }
      }
    return removed;
  }

  return {
    add(request) {
      if (size() >= options.limit) return false;
      laneOf(request).push({ request, since: options.clock.now() });
      return true;
    },
    next() {
      const [interactive] = lanes.interactive;
      const [bulk] = lanes.bulk;
      const aged = interactive && bulk && interactive.since - bulk.since > options.ageingMs;
      const lane = interactive && !aged ? lanes.interactive : lanes.bulk;
      return lane.shift()?.request;
    },
    remove: (request) => removeWhere((candidate) => candidate === request).length > 0,
    removeAll: () => removeWhere(() => true),
    get length() {
      return size();
    },
    lengthOf: (kind) => lanes[kind].length,
  };
}

/** How far a narration was at a moment. */
export interface Sample {
  readonly atMs: number;
  readonly ready: number;
}

/** Shortest time and fewest sentences from which a speed is told. */
const minimumMs = 10_000;
const minimumSentences = 5;

/**
 * Time until everything is ready, from the speed since the first sample; undefined while that says too little or
 * nothing is left.
 */
export function remainingMs(first: Sample, now: Sample, total: number): number | undefined {
  const elapsedMs = now.atMs - first.atMs;
  const done = now.ready - first.ready;
  if (elapsedMs < minimumMs || done < minimumSentences || now.ready >= total) return undefined;
  return ((total - now.ready) * elapsedMs) / done;
}

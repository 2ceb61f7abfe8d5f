export interface WorkSignal {
  /** Aborts with the reason of the first source that does, or when the time is over. */
  readonly signal: AbortSignal;
  /** Whether it was the time that ended it. */
  readonly isLate: () => boolean;
  /** Ends the timer and lets go of the sources. */
  readonly release: () => void;
}

/**
 * One signal of several, with a time limit. Unlike `AbortSignal.any` and `AbortSignal.timeout` it leaves nothing at its
 * sources when the work is over: a worker's own signals live as long as the process, over many thousands of tasks.
 */
export function createWorkSignal(sources: readonly AbortSignal[], timeoutMs: number): WorkSignal {
  const work = new AbortController();
  let late = false;
  const onAbort = (event: Event): void => work.abort((event.target as AbortSignal).reason);
  for (const source of sources) {
    if (source.aborted) work.abort(source.reason);
    source.addEventListener("abort", onAbort, { once: true });
  }
  const timer = setTimeout(() => {
    if (work.signal.aborted) return;
    late = true;
    work.abort(new DOMException("The time limit was reached.", "TimeoutError"));
  }, timeoutMs);
  return {
    signal: work.signal,
    isLate: () => late,
    release() {
      clearTimeout(timer);
      for (const source of sources) source.removeEventListener("abort", onAbort);
    },
  };
}

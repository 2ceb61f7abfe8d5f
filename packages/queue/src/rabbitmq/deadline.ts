import { AppError } from "@katari/core";

/** Resolves after the time, or at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}

/** A turn of the event loop: what the driver has put off by `setImmediate` before it has run after it. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Waits for work no longer than `timeoutMs` and the caller's signal; the work gets a signal of its own that aborts
 * with both. Rejects with `late()`, or AppError `cancelled`. Work that does not heed its signal goes on unheard.
 */
export async function within<T>(
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined; readonly late: () => AppError },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { timeoutMs, signal, late } = options;
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs);
    onAbort = () => reject(new AppError("cancelled", "The work was cancelled.", { cause: signal?.reason as unknown }));
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
  const running = work(stop.signal);
  // When the deadline came first, nobody listens to the work any more.
  running.catch(() => undefined);
  try {
    return await Promise.race([running, ended]);
  } finally {
    clearTimeout(timer);
    if (onAbort) signal?.removeEventListener("abort", onAbort);
    stop.abort();
  }
}

/** Waits for a promise, but no longer than until the signal aborts; gives `undefined` then. */
export async function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T | undefined> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

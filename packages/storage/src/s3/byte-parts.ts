import { AppError } from "@katari/core";

/** A run of bytes of one object. `isLast` is true of exactly one, which may be empty only if it is also the first. */
export interface BytePart {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
  /** Says that nobody looks at the bytes any more, so that their memory may be used for a later part. */
  readonly release: () => void;
}

const firstCapacity = 64 * 1024;

/**
 * Cuts a body into parts of exactly `partBytes`, the last one shorter. A stream's chunks are copied, so its source may
 * use its buffer again; a buffer's parts are views of it. Throws what the source throws and the signal's reason, which
 * also interrupts a source that waits, both as AppError.
 */
export async function* byteParts(
  body: Uint8Array | AsyncIterable<Uint8Array>,
  partBytes: number,
  signal: AbortSignal,
): AsyncGenerator<BytePart> {
  if (body instanceof Uint8Array) {
    for (let start = 0; start === 0 || start < body.length; start += partBytes) {
      throwIfAborted(signal);
      const isLast = start + partBytes >= body.length;
      yield { bytes: body.subarray(start, start + partBytes), isLast, release() {} };
    }
    return;
  }
  // Large buffers that the garbage collector takes late would add up to several times what is in use.
  const free: Uint8Array[] = [];
  const partOf = (bytes: Uint8Array, isLast: boolean): BytePart => ({ bytes, isLast, release: () => free.push(bytes) });
  let part: Uint8Array = new Uint8Array(Math.min(firstCapacity, partBytes));
  let length = 0;
  for await (const chunk of interruptible(body, signal)) {
    for (let taken = 0; taken < chunk.length;) {
      // Only when more comes is a full part known not to be the last.
      if (length === partBytes) {
        yield partOf(part, false);
        part = free.pop() ?? new Uint8Array(partBytes);
        length = 0;
      }
      const count = Math.min(chunk.length - taken, partBytes - length);
      if (length + count > part.length) part = grown(part, length, Math.min(partBytes, 2 * (length + count)));
      part.set(chunk.subarray(taken, taken + count), length);
      length += count;
      taken += count;
    }
  }
  yield partOf(part.subarray(0, length), true);
}

function grown(from: Uint8Array, length: number, capacity: number): Uint8Array {
  const to = new Uint8Array(capacity);
  to.set(from.subarray(0, length));
  return to;
}

/**
 * The same items; a wait for the next one ends when the signal fires. What the source throws becomes an AppError here,
 * where it cannot be taken for a fault of the store.
 */
async function* interruptible<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  let state: "open" | "waiting" | "ended" = "open";
  try {
    for (;;) {
      throwIfAborted(signal);
      state = "waiting";
      const next = iterator.next().then(
        (step) => {
          state = step.done ? "ended" : "open";
          return step;
        },
        (error: unknown) => {
          state = "ended";
          throw AppError.from(error);
        },
      );
      const step = await orAbort(next, signal);
      if (step.done) return;
      yield step.value;
    }
  } finally {
    const last = state as "open" | "waiting" | "ended";
    if (last !== "ended") {
      const closing = Promise.resolve(iterator.return?.());
      // A source that still waits would hold up the caller; what it says when it ends interests nobody any more.
      if (last === "waiting") closing.catch(() => {});
      else await closing;
    }
  }
}

function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(AppError.from(signal.reason));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw AppError.from(signal.reason);
}

import type { TaskQueue } from "@katari/contracts";
import type { Acknowledgement, Consumer, Delivery, MessageBus } from "@katari/queue";

export interface JobIntakeOptions {
  readonly bus: MessageBus;
  readonly queue: TaskQueue;
  /** Jobs at the same time. */
  readonly slots: number;
  /**
   * Takes a message on. Resolves with the work still to do once the message may be acknowledged, or with `requeue`, or
   * with nothing when the message is answered already.
   */
  readonly accept: (delivery: Delivery, signal: AbortSignal) => Promise<(() => Promise<void>) | "requeue" | undefined>;
  /** What a job or the bus threw; a job's own outcome is its own business. */
  readonly onError: (error: unknown) => void;
  /** Pause before the bus is asked again after it failed. */
  readonly pauseMs?: number;
}

export interface JobIntake {
  readonly queue: TaskQueue;
  readonly slots: number;
  /** Takes no more jobs; resolves when the last has ended. */
  close(): Promise<void>;
}

/**
 * Takes long jobs whose messages are acknowledged at their start: a broker's time limit for an acknowledgement is
 * shorter than a long job, and the database's lease carries it from there. Each slot holds a consumer only while it
 * is free, so a busy worker never sits on a message that another could take.
 */
export function createJobIntake(options: JobIntakeOptions): JobIntake {
  const { bus, queue, slots, accept, onError } = options;
  const closing = new AbortController();
  const loops = Array.from({ length: slots }, async () => {
    while (!closing.signal.aborted) {
      try {
        const job = await takeOne(bus, queue, accept, closing.signal);
        await job?.();
      } catch (error) {
        onError(error);
        await pause(options.pauseMs ?? 1_000, closing.signal);
      }
    }
  });
  return {
    queue,
    slots,
    async close() {
      closing.abort();
      await Promise.all(loops);
    },
  };
}

/** Consumes until one message was accepted, or until closing. */
async function takeOne(
  bus: MessageBus,
  queue: TaskQueue,
  accept: JobIntakeOptions["accept"],
  closing: AbortSignal,
): Promise<(() => Promise<void>) | undefined> {
  let consumer: Promise<Consumer> | undefined;
  let job: (() => Promise<void>) | undefined;
  let isDone = false;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = () => {
      isDone = true;
      resolve();
    };
  });
  const handler = async (delivery: Delivery, signal: AbortSignal): Promise<Acknowledgement> => {
    if (isDone || closing.aborted) return "requeue";
    const accepted = await accept(delivery, signal);
    if (accepted === "requeue") return "requeue";
    if (accepted) {
      job = accepted;
      finish();
      // Before the answer, so that no second message comes for this slot. Should it fail, so does the cancel below.
      consumer?.then((each) => each.cancel()).catch(() => undefined);
    }
    return "ack";
  };
  closing.addEventListener("abort", finish, { once: true });
  try {
    if (closing.aborted) return undefined;
    consumer = bus.consume(queue, { slots: 1 }, handler);
    const made = await consumer;
    await finished;
    await made.cancel();
    return job;
  } finally {
    closing.removeEventListener("abort", finish);
  }
}

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

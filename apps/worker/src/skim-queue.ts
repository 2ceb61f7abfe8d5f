import type { TaskQueue } from "@katari/contracts";
import type { Acknowledgement, MessageBus } from "@katari/queue";
import { pause } from "./job-intake.ts";

export interface SkimQueueOptions {
  readonly bus: MessageBus;
  readonly queue: TaskQueue;
  /** Answers a message for good, or says that it is to stay on the queue. */
  readonly take: (body: unknown) => Promise<"answered" | "stays">;
  readonly signal: AbortSignal;
  /** Longest time that messages are held. */
  readonly limitMs?: number;
}

/** More would be held than a queue is meant to have waiting. */
const mostHeld = 512;

/**
 * Looks once through what waits on a queue, answers what can be answered without doing it, and puts the rest back,
 * uncounted. What stays is held until all was seen: put back at once, it would only come again.
 */
export async function skimQueue({ bus, queue, take, signal, limitMs = 2_000 }: SkimQueueOptions): Promise<void> {
  const waiting = Math.min(await bus.depth(queue), mostHeld);
  if (waiting === 0 || signal.aborted) return;
  const allSeen = new AbortController();
  const end = AbortSignal.any([allSeen.signal, signal]);
  let seen = 0;
  const handler = async ({ body }: { readonly body: unknown }): Promise<Acknowledgement> => {
    if (end.aborted) return "requeue";
    const answer = take(body);
    const became = await answer.finally(() => {
      if (++seen >= waiting) allSeen.abort();
    });
    if (became === "answered") return "ack";
    await pause(limitMs, end);
    return "requeue";
  };
  const consumer = await bus.consume(queue, { slots: waiting }, handler);
  await pause(limitMs, end);
  allSeen.abort();
  await consumer.cancel();
}

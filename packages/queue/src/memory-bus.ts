import { randomUUID } from "node:crypto";
import { deadLetterQueue, maxMessageBytes, type QueueName } from "@katari/contracts";
import { AppError } from "@katari/core";
import type { Acknowledgement, ConsumeOptions, Consumer, Delivery, MessageBus } from "./message-bus.ts";

export interface MemoryBusOptions {
  /**
   * Times that a message is given out again after its consumer went away; the next loss puts it on the dead-letter
   * queue. Dead-letter queues themselves have no limit.
   */
  readonly deliveryLimit?: number;
}

interface Message {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly deliveryCount: number;
}

interface Subscription {
  readonly slots: number;
  readonly handler: (delivery: Delivery, signal: AbortSignal) => Promise<Acknowledgement>;
  readonly running: Set<Promise<void>>;
  cancelled: boolean;
}

interface Queue {
  readonly name: QueueName;
  /** Messages that wait, oldest first. */
  readonly waiting: Message[];
  /** Consumers in the order in which they get the next message. */
  readonly subscriptions: Subscription[];
}

/**
 * The bus of one process. It keeps nothing on disk: each start is a new epoch, and whoever published before it asks
 * the database again. Bodies are kept as JSON text, so that no consumer ever shares an object with a publisher.
 * Nothing is prefetched, since handing over costs nothing here.
 */
export function createMemoryBus(options: MemoryBusOptions = {}): MessageBus {
  const deliveryLimit = options.deliveryLimit ?? 6;
  const epoch = randomUUID();
  const queues = new Map<QueueName, Queue>();
  const listeners = new Map<string, Set<(body: unknown) => void>>();
  // Handlers get it so that they can stop when their message is not theirs any more; in one process that never happens.
  const lifetime = new AbortController();
  let closed = false;

  const queueOf = (name: QueueName): Queue => {
    const known = queues.get(name);
    if (known) return known;
    const made: Queue = { name, waiting: [], subscriptions: [] };
    queues.set(name, made);
    return made;
  };

  /** Hands out what waits, one message at a time to the consumer that waited longest. */
  const handOut = (queue: Queue): void => {
    while (queue.waiting.length > 0) {
      const index = queue.subscriptions.findIndex((each) => !each.cancelled && each.running.size < each.slots);
      const [subscription] = index < 0 ? [] : queue.subscriptions.splice(index, 1);
      const message = subscription && queue.waiting.shift();
      if (!subscription || !message) return;
      queue.subscriptions.push(subscription);
      const run = runHandler(queue, subscription, message).finally(() => {
        subscription.running.delete(run);
        handOut(queue);
      });
      subscription.running.add(run);
    }
  };

  const runHandler = async (queue: Queue, subscription: Subscription, message: Message): Promise<void> => {
    // A turn of the event loop lies between handing out and running: publishers never run a handler on their own stack.
    await new Promise((resolve) => setImmediate(resolve));
    // Cancelled in that turn: the handler never saw the message.
    if (subscription.cancelled) return void queue.waiting.unshift(message);
    let answer: Acknowledgement | "lost";
    try {
      const { headers, deliveryCount } = message;
      const body: unknown = JSON.parse(message.text);
      answer = await subscription.handler({ body, headers, deliveryCount }, lifetime.signal);
    } catch {
      // By the port's contract this is how a handler says that it could not answer; the count is the record of it.
      answer = "lost";
    }
    if (answer === "ack") return;
    if (answer === "requeue") return void queue.waiting.unshift(message);
    const isDead = queue.name.endsWith(".dead");
    if (isDead || message.deliveryCount < deliveryLimit) {
      queue.waiting.unshift({ ...message, deliveryCount: message.deliveryCount + 1 });
      return;
    }
    const grave = queueOf(deadLetterQueue(queue.name));
    grave.waiting.push({ ...message, deliveryCount: 0 });
    handOut(grave);
  };

  const ensureOpen = (): void => {
    if (closed) throw new AppError("unavailable", "The message bus is closed.", { retryable: true });
  };

  const cancel = async (queue: Queue, subscription: Subscription): Promise<void> => {
    subscription.cancelled = true;
    const index = queue.subscriptions.indexOf(subscription);
    if (index >= 0) queue.subscriptions.splice(index, 1);
    await Promise.all(subscription.running);
  };

  return {
    epoch,
    publish(name, body, options) {
      return attempt(() => {
        ensureOpen();
        throwIfAborted(options?.signal);
        const queue = queueOf(name);
        queue.waiting.push({ text: toJson(body), headers: { ...options?.headers }, deliveryCount: 0 });
        handOut(queue);
      });
    },
    consume(name, { slots }: ConsumeOptions, handler) {
      return attempt((): Consumer => {
        ensureOpen();
        if (!Number.isInteger(slots) || slots < 1)
          throw new AppError("invalid-argument", `A consumer needs at least one slot, not ${slots}.`);
        const queue = queueOf(name);
        const subscription: Subscription = { slots, handler, running: new Set(), cancelled: false };
        queue.subscriptions.push(subscription);
        handOut(queue);
        return { cancel: () => cancel(queue, subscription) };
      });
    },
    broadcast(topic, body) {
      return attempt(() => {
        ensureOpen();
        const text = toJson(body);
        for (const listener of listeners.get(topic) ?? [])
          setImmediate(() => {
            if (listeners.get(topic)?.has(listener)) listener(JSON.parse(text));
          });
      });
    },
    listen(topic, handler) {
      // Wrapped, so that the same function listening twice is two listeners.
      const listener = (body: unknown): void => handler(body);
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      return () => void set.delete(listener);
    },
    depth(name) {
      return attempt(() => {
        ensureOpen();
        return queues.get(name)?.waiting.length ?? 0;
      });
    },
    async close() {
      closed = true;
      listeners.clear();
      const all = [...queues.values()].flatMap((queue) => queue.subscriptions.map((each) => cancel(queue, each)));
      await Promise.all(all);
      queues.clear();
    },
  };
}

/** Runs at once, but tells failures the way the port does: by a rejected promise. */
// oxlint-disable-next-line typescript/require-await
async function attempt<T>(work: () => T): Promise<T> {
  return work();
}

/**
 * The text of a message. Throws AppError `invalid-argument` for what JSON cannot hold and `too-large` beyond
 * `maxMessageBytes`.
 */
export function toJson(body: unknown): string {
  const text: string | undefined = JSON.stringify(body);
  if (text === undefined) throw new AppError("invalid-argument", "A message needs a body.");
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > maxMessageBytes)
    throw new AppError("too-large", `A message of ${sizeBytes} bytes is over the limit of ${maxMessageBytes}.`, {
      cure: "Put the content into the object store and send its key.",
    });
  return text;
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AppError("cancelled", "The work was cancelled.", { cause: signal.reason });
}

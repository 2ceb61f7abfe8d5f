import type { BroadcastTopic, QueueName } from "@katari/contracts";

/** One message as a consumer gets it. */
export interface Delivery {
  /** Parsed JSON, not validated: the consumer parses it with the schema of its queue. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** 0 for the first delivery; raised each time a consumer went away without an answer. */
  readonly deliveryCount: number;
}

/** `ack`: done with. `requeue`: put back at once (raises nothing, used when a worker stops). */
export type Acknowledgement = "ack" | "requeue";

export interface Consumer {
  /**
   * Takes no more deliveries, waits for the handlers that run (they may still answer), puts back what they never saw.
   */
  cancel(): Promise<void>;
}

export interface ConsumeOptions {
  /** Handlers that run at the same time; at most one more message is prefetched. */
  readonly slots: number;
}

/**
 * The wake-ups of the system. The database is the truth: losing the whole content of the bus loses no work.
 *
 * Delivery: at least once to one consumer of the queue. A message whose consumer goes away (process or connection)
 * before the acknowledgement is delivered again with `deliveryCount + 1`; after `deliveryLimit` it goes to the
 * queue's dead-letter queue. Ordering: roughly first in, first out; none may depend on it. `publish` resolves when the
 * bus has confirmed that it keeps the message, and rejects (AppError `unavailable`, retryable) when it did not: then
 * the message may or may not be delivered. A handler that throws counts as a consumer that went away.
 * Messages are plain JSON of at most `maxMessageBytes`; a larger one rejects with `too-large`.
 * Broadcast: at most once, to every process that listens at that moment, the sender included.
 */
export interface MessageBus {
  /** Changes when the bus lost its content: a queued task with another epoch is not on the bus any more. */
  readonly epoch: string;
  publish(
    queue: QueueName,
    body: unknown,
    options?: { headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<void>;
  consume(
    queue: QueueName,
    options: ConsumeOptions,
    handler: (delivery: Delivery, signal: AbortSignal) => Promise<Acknowledgement>,
  ): Promise<Consumer>;
  broadcast(topic: BroadcastTopic, body: unknown): Promise<void>;
  /** Returns a function that ends the listening. */
  listen(topic: BroadcastTopic, handler: (body: unknown) => void): () => void;
  /** Messages that wait, without those that a consumer holds. */
  depth(queue: QueueName): Promise<number>;
  /** Cancels all consumers, then lets go of the connection. */
  close(): Promise<void>;
}

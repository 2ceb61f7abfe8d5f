import { deadLetterQueue, resultQueue, taskQueues, type QueueName } from "@katari/contracts";
import type { Channel } from "rabbitmq-client";

/**
 * Everything that Katari keeps on a RabbitMQ server, in one place. All names begin with `katari.`, so that one pattern,
 * `^katari\.`, is the whole of the permissions that a user needs (configure, write and read).
 *
 * Only what both 3.10 and 4.x take: quorum queues for what must stay, an exclusive queue for what may be lost, no
 * mirrored queues, no shared transient queues, prefetch per consumer.
 */
export interface QueueDeclaration {
  readonly queue: string;
  readonly durable: boolean;
  readonly exclusive: boolean;
  readonly autoDelete: boolean;
  readonly arguments: Readonly<Record<string, string | number>>;
}
export interface ExchangeDeclaration {
  readonly exchange: string;
  readonly type: "direct" | "fanout";
  readonly durable: true;
}
export interface Binding {
  readonly exchange: string;
  readonly queue: string;
  readonly routingKey: string;
}
export interface Topology {
  readonly exchanges: readonly ExchangeDeclaration[];
  readonly queues: readonly QueueDeclaration[];
  readonly bindings: readonly Binding[];
}

/** Takes messages by the name of their queue. The default exchange would need a permission of its own. */
export const queueExchange = "katari.queues";
/** Takes what was delivered too often, by the name of the dead-letter queue. */
const deadLetterExchange = "katari.dead-letters";
export const broadcastExchange = "katari.broadcast";

/** A queue without a limit of its own has one of 20 on 4.x, and 3.10 does not know "none" (-1). */
const withoutLimit = 1_000_000_000;
/** Broadcasts that wait for a process that does not read; older ones are dropped, as the port allows. */
const mostBroadcasts = 10_000;

/** The name of a queue on the server. */
export const brokerQueue = (name: QueueName): string => `katari.${name}`;

/** At most one message beside those that handlers work on. Counted per consumer (`global: false`), as 4.x demands. */
export const qosOf = (slots: number): { readonly prefetchCount: number; readonly global: false } => ({
  prefetchCount: slots + 1,
  global: false,
});

/** What stays: task queues and the result queue, a dead-letter queue for each, the exchanges, and what binds them. */
export function describeTopology(options: { readonly deliveryLimit: number }): Topology {
  const lives = [...taskQueues, resultQueue] as const;
  const queues = lives.flatMap((name): QueueDeclaration[] => {
    const dead = brokerQueue(deadLetterQueue(name));
    const shape = { durable: true, exclusive: false, autoDelete: false } as const;
    return [
      {
        queue: dead,
        ...shape,
        arguments: { "x-queue-type": "quorum", "x-delivery-limit": withoutLimit },
      },
      {
        queue: brokerQueue(name),
        ...shape,
        arguments: {
          "x-queue-type": "quorum",
          "x-delivery-limit": options.deliveryLimit,
          "x-dead-letter-exchange": deadLetterExchange,
          "x-dead-letter-routing-key": dead,
          // The message leaves this queue when the dead-letter queue has confirmed it; asks for `reject-publish`.
          "x-dead-letter-strategy": "at-least-once",
          "x-overflow": "reject-publish",
        },
      },
    ];
  });
  return {
    exchanges: [
      { exchange: queueExchange, type: "direct", durable: true },
      { exchange: deadLetterExchange, type: "direct", durable: true },
      { exchange: broadcastExchange, type: "fanout", durable: true },
    ],
    queues,
    bindings: [
      ...queues.map(({ queue }) => ({ exchange: queueExchange, queue, routingKey: queue })),
      ...lives.map((name) => {
        const dead = brokerQueue(deadLetterQueue(name));
        return { exchange: deadLetterExchange, queue: dead, routingKey: dead };
      }),
    ],
  };
}

/** The queue by which one connection hears broadcasts; it goes with the connection. */
export function describeBroadcastQueue(id: string): { readonly queue: QueueDeclaration; readonly binding: Binding } {
  const queue = `katari.broadcast.${id}`;
  return {
    queue: {
      queue,
      durable: false,
      exclusive: true,
      autoDelete: true,
      arguments: { "x-queue-type": "classic", "x-max-length": mostBroadcasts, "x-overflow": "drop-head" },
    },
    binding: { exchange: broadcastExchange, queue, routingKey: "" },
  };
}

/**
 * Makes what is missing and compares what is there: the server refuses a queue or an exchange that exists with other
 * arguments. Rejects with the driver's error then; the channel is closed.
 */
export async function declareTopology(channel: Channel, topology: Topology): Promise<void> {
  for (const exchange of topology.exchanges) await channel.exchangeDeclare({ ...exchange });
  for (const queue of topology.queues) await channel.queueDeclare({ ...queue });
  for (const binding of topology.bindings) await channel.queueBind({ ...binding });
}

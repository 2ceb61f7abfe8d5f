import { randomUUID } from "node:crypto";
import type { BroadcastTopic } from "@katari/contracts";
import type { RabbitMqAddress } from "./address.ts";
import { keepAttached } from "./attachment.ts";
import type { BusLogger, Link } from "./link.ts";
import { describeBroadcastQueue } from "./topology.ts";

export interface BroadcastReceiver {
  listen(topic: BroadcastTopic, handler: (body: unknown) => void): () => void;
  close(): Promise<void>;
}

/**
 * Hears every broadcast on a queue of this connection alone. Each attachment has a queue with a new name: the server may
 * not have seen yet that the connection before is gone, and would refuse the old one.
 */
export async function openBroadcastReceiver(options: {
  readonly link: Link;
  readonly address: RabbitMqAddress;
  readonly logger: BusLogger;
  readonly timeoutMs: number;
}): Promise<BroadcastReceiver> {
  const listeners = new Map<string, Set<(body: unknown) => void>>();
  const attaching = await keepAttached({
    ...options,
    what: "katari.broadcast",
    attach: async (channel) => {
      const { queue, binding } = describeBroadcastQueue(randomUUID());
      await channel.queueDeclare({ ...queue });
      await channel.queueBind({ ...binding });
      const consume = { queue: queue.queue, noAck: true, exclusive: true };
      const { consumerTag } = await channel.basicConsume(consume, ({ routingKey, body }) => {
        // Every listener gets an object of its own.
        for (const listener of listeners.get(routingKey) ?? []) listener(structuredClone(body as unknown));
      });
      return consumerTag;
    },
  });
  return {
    listen(topic, handler) {
      // Wrapped, so that the same function listening twice is two listeners.
      const listener = (body: unknown): void => handler(body);
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      return () => void set.delete(listener);
    },
    async close() {
      listeners.clear();
      const attachment = await attaching.stop();
      await attachment?.channel.close();
    },
  };
}

import type { QueueName } from "@katari/contracts";
import { AppError } from "@katari/core";
import { throwIfAborted, toJson } from "../memory-bus.ts";
import type { Consumer, MessageBus } from "../message-bus.ts";
import type { RabbitMqAddress } from "./address.ts";
import type { BroadcastReceiver } from "./broadcast.ts";
import { startConsumer } from "./consumer.ts";
import { within } from "./deadline.ts";
import { explainRabbitMqError, isMissing } from "./explain-error.ts";
import type { BusLogger, Link } from "./link.ts";
import type { Publisher } from "./publisher.ts";
import { broadcastExchange, brokerQueue, queueExchange } from "./topology.ts";

export interface BusParts {
  readonly epoch: string;
  readonly consuming: Link;
  readonly publisher: Publisher;
  readonly receiver: BroadcastReceiver;
  readonly address: RabbitMqAddress;
  readonly logger: BusLogger;
  readonly deliveryLimit: number;
  readonly timeoutMs: number;
  /** Lets go of the parts, when all consumers are cancelled. */
  readonly close: () => Promise<void>;
}

/** The port's face of the open parts. */
export function createBus(parts: BusParts): MessageBus {
  const { consuming, publisher, receiver, address, logger, deliveryLimit, timeoutMs } = parts;
  const consumers = new Set<Promise<Consumer>>();
  /** Handlers that run while it closes may still publish; nobody begins to consume. */
  let isClosed = false;
  let closing: Promise<void> | undefined;

  const closedError = (): AppError => new AppError("unavailable", "The message bus is closed.", { retryable: true });
  const put = (queue: QueueName, text: string, headers: Record<string, string>, signal?: AbortSignal): Promise<void> =>
    publisher.publish({ exchange: queueExchange, routingKey: brokerQueue(queue), text, headers, isKept: true }, signal);

  const close = async (): Promise<void> => {
    // One that could not be started was told to whoever asked for it.
    const cancelOne = async (starting: Promise<Consumer>): Promise<void> => {
      const consumer = await starting.catch(() => undefined);
      await consumer?.cancel();
    };
    await Promise.all([...consumers].map(cancelOne));
    isClosed = true;
    await parts.close();
  };

  return {
    epoch: parts.epoch,
    async publish(queue, body, { headers = {}, signal } = {}) {
      if (isClosed) throw closedError();
      throwIfAborted(signal);
      await put(queue, toJson(body), headers, signal);
    },
    async consume(queue, { slots }, handler) {
      if (closing) throw closedError();
      if (!Number.isInteger(slots) || slots < 1)
        throw new AppError("invalid-argument", `A consumer needs at least one slot, not ${slots}.`);
      const options = { link: consuming, address, logger, queue, slots, deliveryLimit, timeoutMs, handler };
      const starting = startConsumer({ ...options, publish: put });
      consumers.add(starting);
      try {
        const consumer = await starting;
        return { cancel: () => consumer.cancel().finally(() => consumers.delete(starting)) };
      } catch (error) {
        consumers.delete(starting);
        throw error;
      }
    },
    async broadcast(topic, body) {
      if (isClosed) throw closedError();
      const message = { exchange: broadcastExchange, routingKey: topic, text: toJson(body), headers: {} };
      await publisher.publish({ ...message, isKept: false });
    },
    listen: (topic, handler) => receiver.listen(topic, handler),
    depth(queue) {
      if (isClosed) return Promise.reject(closedError());
      const late = (): AppError =>
        consuming.trouble() ?? new AppError("unavailable", "RabbitMQ did not answer in time.", { retryable: true });
      return within({ timeoutMs, late }, async (signal) => {
        const channel = await consuming.channel(signal);
        try {
          return (await channel.queueDeclare({ queue: brokerQueue(queue), passive: true })).messageCount;
        } catch (error) {
          if (isMissing(error)) void consuming.repair();
          throw explainRabbitMqError(error, address);
        } finally {
          await channel.close();
        }
      });
    },
    close: () => (closing ??= close()),
  };
}

import { deadLetterQueue, type QueueName } from "@katari/contracts";
import { AppError } from "@katari/core";
import type { AsyncMessage, Channel } from "rabbitmq-client";
import type { Acknowledgement, Consumer, Delivery } from "../message-bus.ts";
import type { RabbitMqAddress } from "./address.ts";
import { keepAttached } from "./attachment.ts";
import { turn } from "./deadline.ts";
import type { BusLogger, Link } from "./link.ts";
import { brokerQueue, qosOf } from "./topology.ts";

/** How often a message was given out in vain before it was put back by us: `<queue>=<count>`. */
const countHeader = "katari-deliveries";

export interface ConsumerOptions {
  readonly link: Link;
  readonly address: RabbitMqAddress;
  readonly logger: BusLogger;
  readonly queue: QueueName;
  readonly slots: number;
  readonly deliveryLimit: number;
  readonly timeoutMs: number;
  readonly handler: (delivery: Delivery, signal: AbortSignal) => Promise<Acknowledgement>;
  /** Publishes a message whose body is JSON text; resolves when it is confirmed. */
  readonly publish: (queue: QueueName, text: string, headers: Record<string, string>) => Promise<void>;
}

interface Held {
  readonly message: AsyncMessage;
  readonly channel: Channel;
  /** Aborts when the channel is gone: the server gives the message to somebody else then. */
  readonly gone: AbortSignal;
}

/**
 * A consumer that acknowledges by hand. What a handler does not acknowledge is published again and only then
 * acknowledged: on 3.10 every other way of putting a message back raises its count, and 4.x counts differently again.
 * A message may therefore come twice, never not at all. Whatever happens to this process, the server counts itself.
 */
export async function startConsumer(options: ConsumerOptions): Promise<Consumer> {
  const { link, address, logger, queue, slots, deliveryLimit, handler, publish } = options;
  const isDead = queue.endsWith(".dead");
  const running = new Set<Promise<void>>();
  let waiting: Held[] = [];
  let cancelled: Promise<void> | undefined;

  const attach = async (channel: Channel): Promise<string> => {
    const gone = new AbortController();
    channel.once("close", () => {
      waiting = waiting.filter((each) => each.channel !== channel);
      gone.abort(new AppError("unavailable", "The connection to RabbitMQ was lost.", { retryable: true }));
    });
    await channel.basicQos(qosOf(slots));
    const { consumerTag } = await channel.basicConsume({ queue: brokerQueue(queue) }, (message) => {
      waiting.push({ message, channel, gone: gone.signal });
      handOut();
    });
    return consumerTag;
  };

  const handOut = (): void => {
    if (cancelled) return;
    while (running.size < slots) {
      const held = waiting.shift();
      if (!held) return;
      const run = work(held).finally(() => {
        running.delete(run);
        handOut();
      });
      running.add(run);
    }
  };

  const work = async (held: Held): Promise<void> => {
    let answer: Acknowledgement | "lost";
    try {
      answer = await handler(deliveryOf(held.message, queue), held.gone);
    } catch {
      // By the port's contract: the same as a consumer that went away.
      answer = "lost";
    }
    if (answer !== "ack") await putBack(held, answer);
    else if (held.channel.active) held.channel.basicAck({ deliveryTag: held.message.deliveryTag });
  };

  /** Never rejects: what cannot be put back by us is left to the server, which counts. */
  const putBack = async (held: Held, why: "requeue" | "lost"): Promise<void> => {
    const { message, channel } = held;
    if (!channel.active) return;
    const { headers, deliveryCount } = deliveryOf(message, queue);
    const count = why === "lost" ? deliveryCount + 1 : deliveryCount;
    const isSpent = why === "lost" && !isDead && count > deliveryLimit;
    try {
      const target = isSpent ? deadLetterQueue(queue) : queue;
      const counted = count > 0 && !isSpent ? { [countHeader]: `${queue}=${count}` } : {};
      await publish(target, textOf(message), { ...headers, ...counted });
      if (channel.active) channel.basicAck({ deliveryTag: message.deliveryTag });
    } catch (error) {
      logger.warn({ queue, error: AppError.from(error).message }, "A message could not be put back by its consumer.");
      if (channel.active) channel.basicNack({ deliveryTag: message.deliveryTag, requeue: true });
    }
  };

  const attaching = await keepAttached({
    link,
    address,
    logger,
    what: brokerQueue(queue),
    timeoutMs: options.timeoutMs,
    attach,
  });

  const cancel = async (): Promise<void> => {
    const attachment = await attaching.stop();
    if (attachment?.channel.active === true)
      // A channel that closes meanwhile has given everything back.
      await attachment.channel.basicCancel(attachment.consumerTag).catch(() => undefined);
    // The driver hands out a turn late.
    await turn();
    await Promise.all(waiting.splice(0).map((held) => putBack(held, "requeue")));
    await Promise.all(running);
    await attachment?.channel.close();
  };
  return { cancel: () => (cancelled ??= cancel()) };
}

const isOurs = (name: string): boolean => name !== countHeader && !name.startsWith("x-");

/** The message as the port gives it: headers of the publisher alone, counts of the server and of us together. */
function deliveryOf({ body, headers = {} }: AsyncMessage, queue: QueueName): Delivery {
  const own = Object.entries(headers as Record<string, unknown>).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && isOurs(entry[0]),
  );
  const [countedFor, counted] = String(headers[countHeader] ?? "").split("=");
  const before = countedFor === queue ? Number(counted) : 0;
  return {
    // The driver leaves bytes that are no JSON as they are.
    body: Buffer.isBuffer(body) ? body.toString() : (body as unknown),
    headers: Object.fromEntries(own),
    deliveryCount: before + Number(headers["x-delivery-count"] ?? 0),
  };
}

const textOf = ({ body }: AsyncMessage): string =>
  Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body as unknown);

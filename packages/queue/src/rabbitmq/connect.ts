import type { Channel } from "rabbitmq-client";
import type { MessageBus } from "../message-bus.ts";
import { parseRabbitMqUrl } from "./address.ts";
import { openBroadcastReceiver } from "./broadcast.ts";
import { createBus } from "./bus.ts";
import { openLink, type BusLogger, type RabbitMqTls } from "./link.ts";
import { createPublisher } from "./publisher.ts";
import { broadcastExchange, declareTopology, describeTopology, queueExchange } from "./topology.ts";

export interface RabbitMqOptions {
  /** `amqp://user:password@host:5672/vhost`, or `amqps://…`. */
  readonly url: string;
  readonly logger: BusLogger;
  /** What the person calls the setting with the URL; errors name it. */
  readonly setting?: string;
  /** Which program this is, for the server's own tools: `server`, `worker`. */
  readonly name?: string;
  readonly tls?: RabbitMqTls;
  /**
   * Times that a message is given out again after its consumer went away. One number for all processes of an
   * installation: a queue keeps the one that it was made with.
   */
  readonly deliveryLimit?: number;
  /** Time for the server to answer at the start. */
  readonly connectTimeoutMs?: number;
  /** Time for a message to be confirmed, a lost connection included. */
  readonly publishTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * The epoch of every RabbitMQ server, whatever its address: it keeps its queues on disk, so that what was published
 * before a restart of it or of us is still there and must not be published again. All processes have to agree on it,
 * whichever way each reaches the server. When its data is deleted, the leases of the lost tasks end and bring them back.
 */
const epoch = "rabbitmq";

/**
 * The bus on a RabbitMQ server, 3.10 or later. Two connections: a server short of memory or disk stops reading from
 * those that publish, and acknowledgements must not wait for that.
 *
 * Rejects with one AppError that names what to change when the URL is wrong (`invalid-argument`), the server is not
 * there within `connectTimeoutMs` (`unavailable`), it refuses the password (`unauthenticated`), the virtual host does
 * not exist (`not-found`), a permission is missing (`forbidden`) or a queue exists with other arguments (`conflict`).
 * Later nothing of that ends the process: it is logged and tried again, everything is declared anew, consumers come
 * back, and what cannot be confirmed rejects.
 */
export async function connectRabbitMq(options: RabbitMqOptions): Promise<MessageBus> {
  const { logger, signal } = options;
  const address = parseRabbitMqUrl(options.url, options.setting ?? "The URL of RabbitMQ");
  const deliveryLimit = options.deliveryLimit ?? 6;
  const timeoutMs = options.publishTimeoutMs ?? 10_000;
  const connectTimeoutMs = options.connectTimeoutMs ?? 30_000;
  const topology = describeTopology({ deliveryLimit });
  const name = options.name ?? "katari";
  const shared = { address, logger, connectTimeoutMs, tls: options.tls, signal };

  const publishing = await openLink({
    ...shared,
    connectionName: `${name} (publishes)`,
    prepare: async (channel) => {
      await declareTopology(channel, topology);
      await tryToWrite(channel);
    },
  });
  const publisher = createPublisher({ link: publishing, address, timeoutMs });
  const opened = [publishing];
  try {
    const consuming = await openLink({
      ...shared,
      connectionName: `${name} (consumes)`,
      prepare: (channel) => declareTopology(channel, topology),
    });
    opened.push(consuming);
    const receiver = await openBroadcastReceiver({ link: consuming, address, logger, timeoutMs: connectTimeoutMs });
    const close = async (): Promise<void> => {
      await receiver.close();
      await publisher.close();
      await Promise.all(opened.map((link) => link.close()));
    };
    return createBus({ epoch, consuming, publisher, receiver, address, logger, deliveryLimit, timeoutMs, close });
  } catch (error) {
    await publisher.close();
    await Promise.all(opened.map((link) => link.close()));
    throw error;
  }
}

/** A message that no queue takes and nobody waits for: the server checks the right to write all the same. */
async function tryToWrite(channel: Channel): Promise<void> {
  await channel.confirmSelect();
  await channel.basicPublish({ exchange: queueExchange, routingKey: "katari.try" }, Buffer.alloc(0));
  await channel.basicPublish({ exchange: broadcastExchange, routingKey: "katari.try" }, Buffer.alloc(0));
}

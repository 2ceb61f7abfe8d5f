import { AppError } from "@katari/core";
import type { Channel } from "rabbitmq-client";
import type { RabbitMqAddress } from "./address.ts";
import { turn, within } from "./deadline.ts";
import { explainRabbitMqError, isMissing } from "./explain-error.ts";
import type { Link } from "./link.ts";

export interface OutgoingMessage {
  readonly exchange: string;
  readonly routingKey: string;
  /** JSON. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Kept over a restart of the server, and an error when no queue takes it. */
  readonly isKept: boolean;
}

export interface Publisher {
  /** Resolves when the server has confirmed. Rejects as the port's `publish` does. */
  publish(message: OutgoingMessage, signal?: AbortSignal): Promise<void>;
  /** Waits for what is on its way. */
  close(): Promise<void>;
}

/**
 * Publishes on one channel with confirms. Waits for a lost connection to come back, but in all no longer than
 * `timeoutMs`: a message that is not confirmed by then is an error, though it may have arrived.
 */
export function createPublisher(options: {
  readonly link: Link;
  readonly address: RabbitMqAddress;
  readonly timeoutMs: number;
}): Publisher {
  const { link, address, timeoutMs } = options;
  /** Ids of messages that no queue took. */
  const returned = new Set<string>();
  const running = new Set<Promise<void>>();
  let channel: Channel | undefined;
  let opening: Promise<Channel> | undefined;
  let lastId = 0;
  const lifetime = new AbortController();

  const open = async (): Promise<Channel> => {
    const made = await link.channel(lifetime.signal);
    made.on("basic.return", ({ messageId }) => {
      if (messageId !== undefined) returned.add(messageId);
    });
    await made.confirmSelect();
    channel = made;
    return made;
  };
  const channelNow = (): Promise<Channel> => {
    if (channel?.active === true) return Promise.resolve(channel);
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return opening;
  };

  const late = (routingKey: string): AppError => {
    const trouble = link.trouble();
    return trouble
      ? new AppError("unavailable", trouble.message, {
          retryable: true,
          cause: trouble,
          ...(trouble.cure === undefined ? {} : { cure: trouble.cure }),
        })
      : new AppError("unavailable", `RabbitMQ did not confirm a message for ${routingKey} within ${timeoutMs} ms.`, {
          cure: "If it stays, look there for a queue without a leader (rabbitmqctl list_queues name state) and delete it: Katari makes it anew.",
          retryable: true,
        });
  };

  const send = async (message: OutgoingMessage, signal: AbortSignal): Promise<void> => {
    const messageId = String(++lastId);
    const { exchange, routingKey, headers, isKept } = message;
    const envelope = {
      exchange,
      routingKey,
      headers,
      messageId,
      contentType: "application/json",
      durable: isKept,
      mandatory: isKept,
    };
    try {
      const open = await channelNow();
      if (signal.aborted) return;
      await open.basicPublish(envelope, Buffer.from(message.text));
    } catch (error) {
      if (isMissing(error)) void link.repair();
      throw explainRabbitMqError(error, address);
    }
    // The server returns a message before it confirms it, but the driver tells of the return one turn later.
    await turn();
    if (!returned.delete(messageId)) return;
    // Deleted while we run, with everything in it.
    void link.repair();
    throw new AppError("unavailable", `The queue ${routingKey} was missing on RabbitMQ at ${address.place}.`, {
      cure: "Katari makes it again by itself; the work that was in it comes back from the database.",
      retryable: true,
    });
  };

  return {
    publish(message, signal) {
      const limits = { timeoutMs, signal, late: () => late(message.routingKey) };
      const sent = within(limits, (own) => send(message, own)).finally(() => running.delete(sent));
      running.add(sent);
      return sent;
    },
    async close() {
      await Promise.allSettled(running);
      lifetime.abort();
      await channel?.close();
    },
  };
}

import { AppError } from "@katari/core";
import type { Channel } from "rabbitmq-client";
import type { RabbitMqAddress } from "./address.ts";
import { pause, untilAborted } from "./deadline.ts";
import { explainRabbitMqError } from "./explain-error.ts";
import type { BusLogger, Link } from "./link.ts";

/** A consumer on the channel that it has for itself. */
export interface Attachment {
  readonly channel: Channel;
  readonly consumerTag: string;
}

export interface Attaching {
  /** Ends the loop; gives the attachment that was there last. Never rejects. */
  stop(): Promise<Attachment | undefined>;
}

export interface KeepAttachedOptions {
  readonly link: Link;
  readonly address: RabbitMqAddress;
  readonly logger: BusLogger;
  /** The queue, for people. */
  readonly what: string;
  /** Time for the first attachment. */
  readonly timeoutMs: number;
  /** Begins to consume on a fresh channel; gives the consumer's tag. */
  readonly attach: (channel: Channel) => Promise<string>;
}

const firstPauseMs = 200;
const longestPauseMs = 5_000;

/**
 * Consumes, and does so again whenever the channel or the connection is lost, until stopped. Resolves when the first
 * attachment stands; rejects with its AppError when it does not come about.
 */
export async function keepAttached(options: KeepAttachedOptions): Promise<Attaching> {
  const { link, address, logger, what, attach } = options;
  const stop = new AbortController();
  let attachment: Attachment | undefined;

  /** Attaches; gives the attachment with a promise of why it ended. */
  const attachOnce = async (signal: AbortSignal): Promise<{ made: Attachment; lost: Promise<unknown> }> => {
    const channel = await link.channel(signal);
    const lost = new Promise<unknown>((resolve) => {
      channel.on("error", resolve);
      channel.once("close", () => resolve(undefined));
      channel.once("basic.cancel", () => {
        // The queue was deleted, and with it whatever could still be acknowledged here.
        void link.repair().then(() => channel.close());
      });
    });
    try {
      return { made: { channel, consumerTag: await attach(channel) }, lost };
    } catch (error) {
      await channel.close();
      throw error;
    }
  };

  const keep = async (onFirst: () => void, onFailed: (error: AppError) => void): Promise<void> => {
    let isFirst = true;
    let pauseMs = firstPauseMs;
    const first = AbortSignal.any([stop.signal, AbortSignal.timeout(options.timeoutMs)]);
    while (!stop.signal.aborted) {
      try {
        const { made, lost } = await attachOnce(isFirst ? first : stop.signal);
        attachment = made;
        pauseMs = firstPauseMs;
        if (isFirst) onFirst();
        else logger.info({ queue: what }, "Takes messages from RabbitMQ again.");
        isFirst = false;
        const why = await untilAborted(stop.signal, lost);
        if (stop.signal.aborted) return;
        attachment = undefined;
        logger.warn({ queue: what, reason: why === undefined ? undefined : reasonOf(why) }, "Lost its consumer.");
      } catch (error) {
        const told = explainRabbitMqError(error, address);
        if (isFirst) return onFailed(told);
        if (stop.signal.aborted) return;
        logger.warn({ queue: what, code: told.code, cure: told.cure }, told.message);
      }
      await pause(pauseMs, stop.signal);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  };
  const reasonOf = (error: unknown): string => explainRabbitMqError(error, address).message;

  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    ended = keep(resolve, reject);
  });
  return {
    async stop() {
      stop.abort();
      await ended;
      return attachment;
    },
  };
}

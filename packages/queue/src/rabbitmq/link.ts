import { AppError } from "@katari/core";
import { Connection, type Channel } from "rabbitmq-client";
import type { RabbitMqAddress } from "./address.ts";
import { pause, untilAborted, within } from "./deadline.ts";
import { explainRabbitMqError } from "./explain-error.ts";

/** What the adapter says to the log; a pino logger fits. */
export interface BusLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Certificates as PEM text; the system's authorities when absent. */
export interface RabbitMqTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface LinkOptions {
  readonly address: RabbitMqAddress;
  readonly tls?: RabbitMqTls | undefined;
  /** Shown by the server's own tools. */
  readonly connectionName: string;
  /** Runs on every new connection before anybody gets it. */
  readonly prepare: (channel: Channel) => Promise<void>;
  readonly logger: BusLogger;
  readonly connectTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** One connection that comes back when it is lost. */
export interface Link {
  /** The connection, prepared; waits for it until the signal aborts. Rejects with AppError `unavailable` then. */
  connection(signal: AbortSignal): Promise<Connection>;
  /** A new channel whose errors are its own; listen to `error`. */
  channel(signal: AbortSignal): Promise<Channel>;
  /** Prepares the connection again, a little later, when something turned out to be missing. Never rejects. */
  repair(): Promise<void>;
  /** Why there is no connection, or why the server takes no messages on it. */
  trouble(): AppError | undefined;
  close(): Promise<void>;
}

const firstPauseMs = 200;
const longestPauseMs = 5_000;
/**
 * A quorum queue that is deleted and made again within 20 ms leaves its consumers attached to nothing, without a word to
 * them (seen on 3.10.8; after 50 ms they are told).
 */
const beforeRepairMs = 1_000;
/** Time for all declarations; a queue that has lost its leader answers none. */
const prepareMs = 60_000;
/** Time that the server has to answer a goodbye. */
const goodbyeMs = 5_000;

/**
 * Opens a link and resolves when its first connection is prepared. Rejects at once when only a person can help (wrong
 * password, unknown virtual host, missing permission, a queue with other arguments), and after `connectTimeoutMs` when
 * the server does not answer. Afterwards nothing ends it but `close`: every trouble is logged, once each time it
 * changes, and tried again.
 *
 * The driver can connect again by itself, but says only the first reason and not that of later attempts (a changed
 * password, say), and prepares nothing; so each of its connections lives once here.
 */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { address, logger, connectionName, signal } = options;
  const stop = new AbortController();
  let current: Connection | undefined;
  let waiting: ((connection: Connection) => void)[] = [];
  let trouble: AppError | undefined;
  let blocked: AppError | undefined;
  let repairing: Promise<void> | undefined;

  const prepare = async (connection: Connection): Promise<void> => {
    const channel = await acquire(connection);
    try {
      await options.prepare(channel);
    } finally {
      await channel.close();
    }
  };

  /** Connects, prepares, and gives the connection with a promise of why it ended. */
  const open = async (): Promise<{ connection: Connection; lost: Promise<unknown> }> => {
    const connection = createConnection(options);
    const lost = new Promise<unknown>((resolve) => connection.on("error", resolve));
    const connected = new Promise<"connected">((resolve) => connection.once("connection", () => resolve("connected")));
    const first = await untilAborted(stop.signal, Promise.race([connected, lost]));
    if (first !== "connected") {
      connection.unsafeDestroy();
      throw first;
    }
    connection.on("connection.blocked", (reason) => {
      blocked = new AppError("unavailable", `RabbitMQ takes no messages at the moment: it is ${reason}.`, {
        cure: "Give the RabbitMQ server more memory or disk; Katari goes on by itself.",
        retryable: true,
      });
      logger.warn({ connection: connectionName, reason }, blocked.message);
    });
    connection.on("connection.unblocked", () => {
      blocked = undefined;
    });
    try {
      const late = (): AppError =>
        new AppError("unavailable", `RabbitMQ at ${address.place} did not answer while its queues were looked up.`, {
          cure: "Look there for a queue without a leader (rabbitmqctl list_queues name state) and delete it: Katari makes it anew.",
          retryable: true,
        });
      await within({ timeoutMs: prepareMs, signal: stop.signal, late }, () => prepare(connection));
    } catch (error) {
      connection.unsafeDestroy();
      throw error;
    }
    return { connection, lost };
  };

  const keepOpen = async (onFirst: () => void, onHopeless: (error: AppError) => void): Promise<void> => {
    const deadlineMs = Date.now() + options.connectTimeoutMs;
    let isFirst = true;
    let pauseMs = firstPauseMs;
    while (!stop.signal.aborted) {
      try {
        const { connection, lost } = await open();
        current = connection;
        trouble = undefined;
        pauseMs = firstPauseMs;
        for (const resolve of waiting.splice(0)) resolve(connection);
        if (isFirst) onFirst();
        else logger.info({ connection: connectionName, place: address.place }, "Connected to RabbitMQ again.");
        isFirst = false;
        const why = await lost;
        current = undefined;
        blocked = undefined;
        connection.unsafeDestroy();
        throw why;
      } catch (error) {
        if (stop.signal.aborted) return;
        const told = explainRabbitMqError(error, address);
        if (isFirst && (!told.retryable || Date.now() >= deadlineMs)) return onHopeless(told);
        if (told.message !== trouble?.message)
          logger.warn({ connection: connectionName, code: told.code, cure: told.cure }, told.message);
        trouble = told;
      }
      // Not all processes at the same moment.
      await pause(pauseMs * (0.5 + Math.random() / 2), stop.signal);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  };

  const onCancelled = (): void => stop.abort();
  signal?.addEventListener("abort", onCancelled, { once: true });
  let ended: Promise<void> | undefined;
  try {
    if (signal?.aborted === true) onCancelled();
    await new Promise<void>((resolve, reject) => {
      ended = keepOpen(resolve, reject).then(() =>
        reject(new AppError("cancelled", "The work was cancelled.", { cause: signal?.reason as unknown })),
      );
    });
  } finally {
    signal?.removeEventListener("abort", onCancelled);
  }

  const connection = (waitSignal: AbortSignal): Promise<Connection> => {
    if (current) return Promise.resolve(current);
    return new Promise((resolve, reject) => {
      const settle = (made: Connection): void => {
        waitSignal.removeEventListener("abort", giveUp);
        resolve(made);
      };
      const giveUp = (): void => {
        waiting = waiting.filter((each) => each !== settle);
        reject(trouble ?? new AppError("unavailable", "RabbitMQ is not connected.", { retryable: true }));
      };
      if (waitSignal.aborted) return giveUp();
      waitSignal.addEventListener("abort", giveUp, { once: true });
      waiting.push(settle);
    });
  };

  return {
    connection,
    channel: async (waitSignal) => acquire(await connection(waitSignal)),
    repair() {
      repairing ??= (async () => {
        try {
          await pause(beforeRepairMs, stop.signal);
          if (current) await prepare(current);
        } catch (error) {
          const told = explainRabbitMqError(error, address);
          logger.warn({ connection: connectionName, code: told.code, cure: told.cure }, told.message);
        } finally {
          repairing = undefined;
        }
      })();
      return repairing;
    },
    trouble: () => trouble ?? blocked,
    async close() {
      stop.abort();
      const open = current;
      current = undefined;
      if (!open) return ended;
      const goodbye = open.close().catch(() => undefined);
      const patience = new AbortController();
      await Promise.race([goodbye, pause(goodbyeMs, patience.signal)]);
      patience.abort();
      open.unsafeDestroy();
    },
  };
}

function createConnection({ address, tls, connectionName, connectTimeoutMs }: LinkOptions): Connection {
  return new Connection({
    hostname: address.hostname,
    port: address.port,
    username: address.username,
    password: address.password,
    vhost: address.vhost,
    heartbeat: address.heartbeatSeconds,
    connectionTimeout: Math.min(connectTimeoutMs, 10_000),
    connectionName,
    noDelay: true,
    // The frame size stays the driver's 8192: it cuts by its own setting even when the server has negotiated less.
    ...(address.tls ? { tls: { ...tls } } : {}),
  });
}

async function acquire(connection: Connection): Promise<Channel> {
  const channel = await connection.acquire({ emitErrorsFromChannel: true });
  // The call that failed rejects, or `close` follows; an emitter without a listener would end the process.
  channel.on("error", () => undefined);
  return channel;
}

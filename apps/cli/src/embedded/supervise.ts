import { AppError } from "@katari/core";
import type { Logger } from "@katari/telemetry";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

export interface SuperviseOptions {
  readonly name: string;
  /** Starts the process; called again when it has died. */
  readonly start: () => Promise<ChildProcess>;
  /** Resolves when the process can do its work; rejects when it never will. */
  readonly ready: (child: ChildProcess) => Promise<void>;
  readonly logger: Logger;
}

export interface Supervised {
  readonly pid: number | undefined;
  /** Asks the process to end, and ends it when it does not within the limit. */
  stop(): Promise<void>;
}

const firstBackOffMs = 100;
const longestBackOffMs = 10_000;
/** A process that lived this long has shown that it can: its next death starts the back-off anew. */
const settledMs = 30_000;
const stopLimitMs = 10_000;

/**
 * Keeps a child process alive: a dead one is started again with back-off until `stop`. The first start must succeed,
 * else this rejects with the child's error and nothing is left running.
 */
export async function supervise({ name, start, ready, logger }: SuperviseOptions): Promise<Supervised> {
  let stopping = false;
  let backOffMs = firstBackOffMs;
  let child: ChildProcess | undefined;
  let restart: NodeJS.Timeout | undefined;

  const beginLater = (): void => {
    logger.warn({ process: name, backOffMs }, "process ended or did not start, starting it again");
    restart = setTimeout(() => {
      begin().catch((error: unknown) => logger.warn({ process: name, err: error }, "process did not start"));
    }, backOffMs);
  };

  const begin = async (): Promise<void> => {
    const startedAtMs = Date.now();
    const started = await start().catch((error: unknown) => {
      // Without a process nothing will say later that it ended. The very first start is the caller's to judge.
      if (child !== undefined && !stopping) {
        backOffMs = Math.min(backOffMs * 2, longestBackOffMs);
        beginLater();
      }
      throw error;
    });
    child = started;
    if (stopping) started.kill("SIGKILL");
    const ended = once(started, "exit").then(([code, signal]) => {
      throw new AppError("unavailable", `The ${name} process ended (${String(signal ?? code)}).`, { retryable: true });
    });
    ended.catch(() => {
      if (stopping) return;
      backOffMs = Date.now() - startedAtMs > settledMs ? firstBackOffMs : Math.min(backOffMs * 2, longestBackOffMs);
      beginLater();
    });
    await Promise.race([ready(started), ended]);
  };

  const stop = async (): Promise<void> => {
    stopping = true;
    clearTimeout(restart);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const running = child;
    const exited = once(running, "exit");
    running.kill("SIGTERM");
    const timer = setTimeout(() => running.kill("SIGKILL"), stopLimitMs);
    await exited;
    clearTimeout(timer);
  };

  try {
    await begin();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get pid() {
      return child?.pid;
    },
    stop,
  };
}

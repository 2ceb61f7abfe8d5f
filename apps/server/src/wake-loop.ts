import { AppError } from "@katari/core";
import type { Logger } from "./server-context.ts";

/** A part that works when it is woken, and by itself every now and then. */
export interface WakeLoop {
  /** Something may be to do. Any number of calls during a round make one more round. */
  wake(): void;
  start(): void;
  /** Ends the round that runs (its signal is aborted) and waits for it. */
  stop(): Promise<void>;
}

export interface WakeLoopOptions {
  readonly name: string;
  readonly tickMs: number;
  readonly logger: Logger;
  /** One round. Errors are logged and the round is tried again after a pause that grows up to ten seconds. */
  readonly round: (signal: AbortSignal) => Promise<void>;
}

const firstPauseMs = 200;
const longestPauseMs = 10_000;

/** Rounds never overlap; between them it sleeps until it is woken or the tick comes. */
export function createWakeLoop(options: WakeLoopOptions): WakeLoop {
  const { name, tickMs, logger, round } = options;
  let wanted = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let controller: AbortController | undefined;

  const sleep = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => begin(), ms);
    timer.unref();
  };

  const begin = (): void => {
    if (running !== undefined || controller === undefined) return;
    clearTimeout(timer);
    const { signal } = controller;
    running = rounds(signal).finally(() => {
      running = undefined;
      if (signal.aborted) return;
      sleep(failures > 0 ? Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs) : tickMs);
    });
  };

  const rounds = async (signal: AbortSignal): Promise<void> => {
    do {
      wanted = false;
      try {
        await round(signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        logger.warn({ part: name, failures, error: AppError.from(error) }, "A round failed and will be tried again.");
        return;
      }
    } while (wanted && !signal.aborted);
  };

  return {
    wake() {
      wanted = true;
      // After a failure the pause is kept: whoever wakes it knows nothing of the database being away.
      if (failures === 0) begin();
    },
    start() {
      controller ??= new AbortController();
      begin();
    },
    async stop() {
      controller?.abort();
      controller = undefined;
      clearTimeout(timer);
      await running;
    },
  };
}

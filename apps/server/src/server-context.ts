import { createHash, randomUUID } from "node:crypto";
import type { Clock } from "@katari/core";
import type { DatabaseHandle } from "@katari/database";
import type { MessageBus } from "@katari/queue";
import type { ObjectStore } from "@katari/storage";

/** Where the application says what happens; pino's shape. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What every part of the application may use. */
export interface ServerContext {
  readonly database: DatabaseHandle;
  readonly bus: MessageBus;
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: () => string;
  readonly sha256: (text: string) => string;
  readonly timing: ServerTiming;
}

/** Times of the application in milliseconds, and its bounds. */
export interface ServerTiming {
  /** How long a queued task may go without a sign of life. */
  readonly leaseMs: number;
  /** Loops look by themselves this often; everything that matters wakes them earlier. */
  readonly tickMs: number;
  /** A worker that was not heard for this long is gone; workers announce themselves every 10 s. */
  readonly workerSilenceMs: number;
  /** A batch of results is closed after this time. */
  readonly batchMs: number;
  /** Progress of one document is told at most this often. */
  readonly progressMs: number;
  /** Tasks to be queued for each slot that workers announce. */
  readonly tasksPerSlot: number;
  /** Most tasks of one lane that are queued at the same time. */
  readonly maxWindow: number;
  /** After this wait, a task that has to run alone stops the lane from taking others until it had its turn. */
  readonly aloneWaitMs: number;
  readonly speechTimeoutMs: number;
  readonly importTimeoutMs: number;
  readonly exportTimeoutMs: number;
  /** The longest pause before a task is tried again. */
  readonly maxRetryMs: number;
}

export const defaultTiming: ServerTiming = {
  leaseMs: 600_000,
  tickMs: 5_000,
  workerSilenceMs: 30_000,
  batchMs: 20,
  progressMs: 1_000,
  tasksPerSlot: 4,
  maxWindow: 256,
  aloneWaitMs: 60_000,
  speechTimeoutMs: 180_000,
  importTimeoutMs: 1_800_000,
  exportTimeoutMs: 14_400_000,
  maxRetryMs: 600_000,
};

export const sha256Hex = (text: string): string => createHash("sha256").update(text).digest("hex");
export const randomId = (): string => randomUUID();

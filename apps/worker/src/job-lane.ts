import { outcomeOf, type ExportTask, type ImportTask, type Outcome, type TaskQueue } from "@katari/contracts";
import { AppError, type Clock } from "@katari/core";
import type { Delivery, MessageBus } from "@katari/queue";
import type { Logger } from "@katari/telemetry";
import type { HeldTask, HeldTasks } from "./held-tasks.ts";
import { createJobIntake, type JobIntake } from "./job-intake.ts";
import { parseTask } from "./parse-task.ts";
import type { Results } from "./results.ts";
import { notUnderstood } from "./speech-lane.ts";
import { createWorkSignal } from "./work-signal.ts";

export type JobTask = ImportTask | ExportTask;
export type JobResult = (Outcome & { kind: "succeeded" })["result"];

export interface JobContext {
  readonly signal: AbortSignal;
  /** Tells how far the work is, 0..1; sent at most once a second, and for each half of a percent. */
  readonly progress: (ratio: number) => void;
}

export interface JobLaneOptions<T extends JobTask> {
  readonly bus: MessageBus;
  readonly queue: TaskQueue;
  readonly slots: number;
  readonly kind: T["kind"];
  readonly work: (task: T, context: JobContext) => Promise<JobResult>;
  readonly held: HeldTasks;
  readonly results: Results;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly abandon: AbortSignal;
  readonly onNewerMessage: () => void;
}

const progressEveryMs = 1_000;
/** A long export is hours of work: each message costs the database a transaction. */
const progressStep = 0.005;
/** Extends the lease while a job has nothing to tell. */
const heartbeatMs = 10_000;

/**
 * Import and export: acknowledged once `started` is confirmed, then carried by the database's lease, which progress
 * messages extend. When the result cannot be told, the lease ends and the task is given out again.
 */
export function createJobLane<T extends JobTask>(options: JobLaneOptions<T>): JobIntake {
  const { held, results, logger, abandon } = options;

  const accept = async (delivery: Delivery): Promise<(() => Promise<void>) | undefined> => {
    const parsed = parseTask(delivery.body);
    if (parsed.kind === "unknown" || parsed.task.kind !== options.kind) {
      if (parsed.kind === "unknown" && parsed.newer) options.onNewerMessage();
      await results.publish(parsed.kind === "unknown" ? parsed.ref : parsed.task, notUnderstood);
      return undefined;
    }
    const task = parsed.task as T;
    let hold: HeldTask;
    try {
      hold = held.hold(task);
    } catch (error) {
      await results.publish(task, outcomeOf(AppError.from(error)));
      return undefined;
    }
    try {
      await results.publish(task, { kind: "started" });
    } catch (error) {
      hold.release();
      throw error;
    }
    return () => run(task, hold);
  };

  const run = async (task: T, hold: HeldTask): Promise<void> => {
    const limit = createWorkSignal([hold.signal, abandon], task.timeoutMs);
    const { signal } = limit;
    const reporter = createReporter(task, options);
    let outcome: Outcome;
    try {
      outcome = {
        kind: "succeeded",
        result: await options.work(task, { signal, progress: (ratio) => reporter.progress(ratio) }),
      };
    } catch (error) {
      const told = AppError.from(error);
      if (abandon.aborted)
        outcome = { kind: "retry", afterMs: 0, code: "unavailable", reason: "The worker was stopped." };
      else if (hold.signal.aborted) outcome = { kind: "cancelled" };
      else if (limit.isLate())
        outcome = outcomeOf(new AppError("timeout", `The ${task.kind} took too long.`, { retryable: true }));
      else outcome = outcomeOf(told);
      // What has a cause that a person can read reaches them with the outcome; the log is for what has none.
      const facts = { taskId: task.taskId, kind: task.kind, code: told.code, err: told };
      if (told.code === "internal") logger.error(facts, "job did not succeed");
      else if (outcome.kind !== "cancelled") logger.info(facts, "job did not succeed");
    } finally {
      limit.release();
      hold.release();
      await reporter.stop();
    }
    await results.publish(task, outcome);
  };

  return createJobIntake({
    bus: options.bus,
    queue: options.queue,
    slots: options.slots,
    accept,
    onError: (error) => logger.error({ err: error, queue: options.queue }, "job intake failed"),
  });
}

/** Sends progress one message at a time, the latest figure; and a heartbeat when nothing moves. */
function createReporter<T extends JobTask>(task: T, { results, clock, logger }: JobLaneOptions<T>) {
  let latest = 0;
  let told = 0;
  let toldAtMs = clock.now();
  let sending: Promise<void> | undefined;
  const send = (): void => {
    if (sending) return;
    toldAtMs = clock.now();
    told = latest;
    sending = results
      .publish(task, { kind: "progress", ratio: latest })
      // The next one makes up for it.
      .catch((error: unknown) => logger.debug({ err: error, taskId: task.taskId }, "progress not told"))
      .finally(() => {
        sending = undefined;
      });
  };
  const timer = setInterval(send, heartbeatMs);
  return {
    progress(ratio: number): void {
      latest = Math.min(1, Math.max(latest, ratio));
      if (latest - told >= progressStep && clock.now() - toldAtMs >= progressEveryMs) send();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await sending;
    },
  };
}

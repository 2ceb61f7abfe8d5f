import { outcomeOf, type Outcome, type SpeechTask, type TaskQueue } from "@katari/contracts";
import { AppError, type Take } from "@katari/core";
import type { ModelServer } from "@katari/inference";
import type { Acknowledgement, Delivery, MessageBus } from "@katari/queue";
import type { ObjectStore } from "@katari/storage";
import type { Logger } from "@katari/telemetry";
import { createSpeechHandler } from "./handlers/speech.ts";
import type { HeldTask, HeldTasks } from "./held-tasks.ts";
import { createModelFacts } from "./model-facts.ts";
import { createModelWatch } from "./model-watch.ts";
import { parseTask } from "./parse-task.ts";
import { createQueueIntake, type QueueIntake } from "./queue-intake.ts";
import type { Results } from "./results.ts";
import { skimQueue } from "./skim-queue.ts";
import { createTakeArchive } from "./take-archive.ts";
import type { VoiceShelf } from "./voice-shelf.ts";
import { createWorkSignal, type WorkSignal } from "./work-signal.ts";

export interface SpeechLaneOptions {
  readonly bus: MessageBus;
  readonly store: ObjectStore;
  readonly voices: VoiceShelf;
  readonly modelServer: ModelServer;
  readonly held: HeldTasks;
  readonly results: Results;
  readonly logger: Logger;
  /** Slots of the lane's queues: those for work that somebody listens to are kept apart from bulk. */
  readonly slots: ReadonlyMap<TaskQueue, number>;
  /** Aborts what runs when the worker's patience at its end is over. */
  readonly abandon: AbortSignal;
  /** The lane's queues opened or closed, and why they are closed. */
  readonly onChange: (reason: string | undefined) => void;
  readonly onNewerMessage: () => void;
  readonly pollMs?: number;
}

export interface SpeechLane {
  readonly intakes: readonly QueueIntake[];
  open(): Promise<void>;
  /**
   * Something was cancelled or paused. While the lane is closed, because its model server is away, its waiting messages
   * would keep the conversion from ending: those are answered now, the others stay.
   */
  skim(): void;
  /** Takes no more; resolves when what runs has been answered or handed back. */
  close(): Promise<void>;
}

/** The queues whose tasks one pool of model servers answers. They close together while it is away. */
export function createSpeechLane(options: SpeechLaneOptions): SpeechLane {
  const { store, voices, modelServer, held, results, logger, abandon, onChange } = options;
  const modelFacts = createModelFacts(modelServer);
  const speak = createSpeechHandler({ takes: createTakeArchive(store), voices, modelServer, modelFacts });
  let closed = false;

  const watch = createModelWatch({
    server: modelServer,
    ...(options.pollMs === undefined ? {} : { pollMs: options.pollMs }),
    onAway() {
      logger.warn("model server away: speech waits");
      onChange("The model server does not answer.");
      for (const each of intakes) tell(each.close());
    },
    onBack() {
      if (closed) return;
      logger.info("model server is back");
      for (const each of intakes) tell(each.open());
      onChange(undefined);
    },
  });

  const tell = (work: Promise<void>): void => {
    work.catch((error: unknown) => logger.error({ err: error }, "the bus did not open or close a consumer"));
  };

  /** Runs one task to its outcome; `undefined` when it is to be handed back. */
  const run = async (task: SpeechTask, lost: AbortSignal): Promise<Outcome | undefined> => {
    let hold: HeldTask | undefined;
    let work: WorkSignal | undefined;
    try {
      hold = held.hold(task);
      work = createWorkSignal([lost, abandon, hold.signal], task.timeoutMs);
      const result = await speak(task, work.signal);
      return { kind: "succeeded", result: { ...result, take: plainTake(result.take) } };
    } catch (error) {
      // The same abort shows as `cancelled` everywhere below; only here is known who wanted it.
      if (lost.aborted) throw error;
      if (abandon.aborted) return undefined;
      const told = AppError.from(error);
      const { modelName, modelVersion } = task.rendering;
      if (told.code === "unavailable" || told.code === "model-unavailable" || told.code === "model-failed") {
        modelFacts.forget(modelName, modelVersion);
        watch.suspect(modelName, modelVersion);
      }
      const outcome = work?.isLate()
        ? outcomeOf(new AppError("timeout", "The sentence took too long.", { retryable: true, cause: error }))
        : outcomeOf(told);
      const facts = { taskId: task.taskId, attempt: task.attempt, outcome: outcome.kind, code: told.code };
      if (told.code !== "cancelled") logger.warn({ ...facts, err: told }, "speech task did not succeed");
      return outcome;
    } finally {
      work?.release();
      hold?.release();
    }
  };

  const handle = async (delivery: Delivery, lost: AbortSignal): Promise<Acknowledgement> => {
    const parsed = parseTask(delivery.body);
    if (parsed.kind === "unknown" || parsed.task.kind !== "speech") {
      const ref = parsed.kind === "unknown" ? parsed.ref : parsed.task;
      if (parsed.kind === "unknown" && parsed.newer) options.onNewerMessage();
      await results.publish(ref, notUnderstood);
      return "ack";
    }
    const { task } = parsed;
    // Best effort: it only extends the lease, so its loss may not cost the work.
    const started = results.publish(task, { kind: "started" }).catch((error: unknown) => {
      logger.debug({ err: error, taskId: task.taskId }, "start not told");
    });
    const outcome = await run(task, lost);
    await started;
    if (!outcome) return "requeue";
    await results.publish(task, outcome);
    return "ack";
  };

  const isCancelled = (task: SpeechTask): boolean => {
    try {
      held.hold(task).release();
      return false;
    } catch {
      return true;
    }
  };
  const skimAll = async (): Promise<void> => {
    for (const { queue, isOpen } of intakes) {
      if (isOpen) continue;
      const take = async (body: unknown): Promise<"answered" | "stays"> => {
        const parsed = parseTask(body);
        if (parsed.kind === "unknown" || parsed.task.kind !== "speech" || !isCancelled(parsed.task)) return "stays";
        await results.publish(parsed.task, { kind: "cancelled" });
        return "answered";
      };
      await skimQueue({ bus: options.bus, queue, take, signal: stopSkimming.signal });
    }
  };
  const stopSkimming = new AbortController();
  let skimming: Promise<void> = Promise.resolve();

  const intakes = [...options.slots].map(([queue, slots]) =>
    createQueueIntake({ bus: options.bus, queue, slots, handler: handle }),
  );

  return {
    intakes,
    async open() {
      await Promise.all(intakes.map((each) => each.open()));
    },
    skim() {
      if (closed || intakes.every((each) => each.isOpen)) return;
      skimming = skimming.then(skimAll).catch((error: unknown) => {
        logger.warn({ err: error }, "waiting tasks that were cancelled could not be answered");
      });
    },
    async close() {
      closed = true;
      stopSkimming.abort();
      await skimming;
      await watch.stop();
      await Promise.all(intakes.map((each) => each.close()));
    },
  };
}

/** The answer to a message that this worker cannot read: another one may. */
export const notUnderstood: Outcome = {
  kind: "retry",
  afterMs: 30_000,
  code: "invalid-argument",
  reason: "The worker does not understand this task; it may be older than the server.",
};

/** The message's shape has mutable lists. */
function plainTake(take: Take) {
  return {
    ...take,
    parts: take.parts.map((part) => ({
      ...part,
      words: part.words.map(([start, end]): [number, number] => [start, end]),
    })),
    checks: { ...take.checks, suspicions: [...take.checks.suspicions] },
  };
}

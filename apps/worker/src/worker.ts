import type { Announcement, TaskQueue } from "@katari/contracts";
import { systemClock, type Clock } from "@katari/core";
import type { ModelServer } from "@katari/inference";
import type { MessageBus } from "@katari/queue";
import type { ObjectStore } from "@katari/storage";
import type { Logger } from "@katari/telemetry";
import { createAnnouncer, type Announcer } from "./announcer.ts";
import { createHeldTasks } from "./held-tasks.ts";
import { createJobLane } from "./job-lane.ts";
import { pause, type JobIntake } from "./job-intake.ts";
import { createResults } from "./results.ts";
import { createSpeechLane } from "./speech-lane.ts";
import { createVoiceShelf } from "./voice-shelf.ts";

export interface WorkerOptions {
  readonly bus: MessageBus;
  readonly store: ObjectStore;
  /** The pool of each lane that this worker serves. */
  readonly modelServers: { readonly cpu?: ModelServer; readonly gpu?: ModelServer };
  /** Slots by queue; a queue that is not named is not consumed. */
  readonly slots: Partial<Record<TaskQueue, number>>;
  readonly workerId: string;
  readonly logger: Logger;
  /** Folder for files that live as long as one job; it exists. */
  readonly scratchFolder: string;
  readonly clock?: Clock;
  /** How often an absent model server is asked. */
  readonly pollMs?: number;
  readonly announceEveryMs?: number;
}

export interface Worker {
  /** Begins to take tasks and announces itself. Throws AppError of the bus when it cannot consume. */
  start(): Promise<void>;
  /** Takes no more; what runs may end within `limitMs`, then it is handed back. */
  stop(options?: { readonly limitMs?: number }): Promise<void>;
}

const stopLimitMs = 8_000;

/**
 * Takes tasks from the bus: speech by way of the model server of its lane, imports, exports. Announces itself at its
 * start, at every change and every 10 seconds.
 */
export function createWorker(options: WorkerOptions): Worker {
  const { bus, store, modelServers, workerId, logger, scratchFolder } = options;
  const clock = options.clock ?? systemClock;
  const held = createHeldTasks(clock);
  const results = createResults({ bus, workerId, clock });
  const abandon = new AbortController();
  /** Why this worker is not ready, by who says so. */
  const reasons = new Map<string, string>();

  const slotsOf = (queues: readonly TaskQueue[]): ReadonlyMap<TaskQueue, number> =>
    new Map(queues.map((queue) => [queue, options.slots[queue] ?? 0] as const).filter(([, slots]) => slots > 0));

  const setReason = (who: string, reason: string | undefined): void => {
    if (reasons.get(who) === reason) return;
    if (reason === undefined) reasons.delete(who);
    else reasons.set(who, reason);
    announcer?.announce();
  };
  // Nothing takes it back: a worker that is older than its server is to be replaced.
  const onNewerMessage = (): void => setReason("version", "A message of a newer version came: update this worker.");

  const voices = createVoiceShelf(store);
  const speech = (["cpu", "gpu"] as const).flatMap((lane) => {
    const modelServer = modelServers[lane];
    const slots = slotsOf([`speech.${lane}.interactive`, `speech.${lane}.bulk`]);
    if (!modelServer || slots.size === 0) return [];
    const onChange = (reason: string | undefined): void => setReason(lane, reason);
    const { pollMs } = options;
    const shared = { bus, store, voices, held, results, logger, abandon: abandon.signal, onNewerMessage };
    return createSpeechLane({ ...shared, modelServer, slots, onChange, ...(pollMs === undefined ? {} : { pollMs }) });
  });
  const jobs: JobIntake[] = [];
  const jobParts = { bus, held, results, clock, logger, abandon: abandon.signal, onNewerMessage };

  const describe = (): Announcement => {
    const open = new Map<TaskQueue, number>();
    for (const each of speech.flatMap((lane) => lane.intakes)) open.set(each.queue, each.isOpen ? each.slots : 0);
    for (const each of jobs) open.set(each.queue, reasons.has("stop") ? 0 : each.slots);
    const slots = Object.fromEntries(open);
    const [reason] = reasons.values();
    return { v: 1, workerId, slots, ready: reason === undefined, ...(reason === undefined ? {} : { reason }) };
  };
  const { announceEveryMs } = options;
  let announcer: Announcer | undefined;
  let stopListening = (): void => undefined;
  const importSlots = options.slots.import ?? 0;
  const exportSlots = options.slots.export ?? 0;

  return {
    async start() {
      stopListening = bus.listen("control", (body) => {
        held.heard(body);
        for (const lane of speech) lane.skim();
      });
      await Promise.all(speech.map((lane) => lane.open()));
      // Loaded by those who use them: readers, text rules and encoders take time and memory that speech does not need.
      if (importSlots > 0) {
        const { createImportHandler } = await import("./handlers/import.ts");
        const work = createImportHandler({ store, scratchFolder });
        jobs.push(createJobLane({ ...jobParts, queue: "import", kind: "import", slots: importSlots, work }));
      }
      if (exportSlots > 0) {
        const { createExportHandler } = await import("./handlers/export.ts");
        const work = createExportHandler({ store, scratchFolder });
        jobs.push(createJobLane({ ...jobParts, queue: "export", kind: "export", slots: exportSlots, work }));
      }
      announcer = createAnnouncer({
        bus,
        logger,
        describe,
        ...(announceEveryMs === undefined ? {} : { everyMs: announceEveryMs }),
      });
    },
    async stop({ limitMs = stopLimitMs } = {}) {
      reasons.set("stop", "The worker stops.");
      const closing = Promise.all([...speech.map((lane) => lane.close()), ...jobs.map((each) => each.close())]);
      const told = announcer?.stop();
      const patience = new AbortController();
      const giveUp = pause(limitMs, patience.signal).then(() => {
        if (!patience.signal.aborted) abandon.abort();
        return undefined;
      });
      await closing;
      patience.abort();
      await giveUp;
      await told;
      stopListening();
    },
  };
}

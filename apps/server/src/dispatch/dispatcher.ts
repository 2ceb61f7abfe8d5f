import { AppError, assertNever } from "@katari/core";
import type { Db, TaskLane } from "@katari/database";
import {
  claimTasks,
  findAloneTask,
  laneLoad,
  listEligibleConversions,
  listLanesWithWork,
  lockLane,
  readLaneClock,
  writeClocks,
  type ClaimedTask,
} from "@katari/database/statements";
import type { TaskReport } from "../collect/task-report.ts";
import type { ServerContext } from "../server-context.ts";
import { createWakeLoop, type WakeLoop } from "../wake-loop.ts";
import { queueOf } from "./lanes.ts";
import { shareWindow, windowOf } from "./share-window.ts";
import { taskMessage } from "./task-message.ts";
import type { WorkerRegistry } from "./worker-registry.ts";

/** Of a conversion's last tasks, at most so many are put in order of their length. */
const largestTail = 64;

/** Part of a window that has to be free before it is filled again. */
const refillShare = 0.25;

/** Messages of one lane that are published at the same time. */
const publishConcurrency = 16;

/** A wake loop that also knows of work which can wait. */
export interface Dispatcher extends WakeLoop {
  /**
   * A place has become free. A lane's window is filled again when a quarter of it is free, in one claim: the workers have
   * enough until then. Whoever brings new or urgent work calls `wake`, which fills every place at once.
   */
  refill(): void;
}

/**
 * Claim, commit, publish. For each lane, one short transaction under the lane's advisory lock counts what is queued and
 * running, picks up to the free window fairly, and marks it queued under a lease and the bus's epoch; after the commit
 * the messages are published. What the bus did not confirm is reported lost with its attempt: it becomes pending again
 * unless somebody has answered meanwhile. If the process dies in between, the lease or the epoch brings the tasks back.
 */
export function createDispatcher(
  context: ServerContext,
  options: {
    readonly workers: WorkerRegistry;
    /** Takes what could not be published; resolves when it is in the database. */
    readonly report: (reports: readonly TaskReport[]) => Promise<void>;
  },
): Dispatcher {
  const { database, bus, clock, logger, timing } = context;
  let urgent = true;
  const loop = createWakeLoop({
    name: "dispatcher",
    tickMs: timing.tickMs,
    logger,
    async round(signal) {
      const everyPlace = urgent;
      urgent = false;
      for (const { lane, held } of await listLanesWithWork(database.db, clock.now())) {
        if (signal.aborted) return;
        const nowMs = clock.now();
        const lease = { leaseUntilMs: nowMs + timing.leaseMs, busEpoch: bus.epoch };
        const slots = options.workers.slots(lane);
        const window = windowOf(slots, timing.tasksPerSlot, timing.maxWindow);
        // A full window may hold urgent work back: the next free place is taken at once.
        if (everyPlace && held >= window) urgent = true;
        if (held > window - (everyPlace ? 1 : Math.ceil(window * refillShare))) continue;
        const claimed = await claimOrReport({ lane, slots, window, nowMs, lease, aloneWaitMs: timing.aloneWaitMs });
        const lost = await publishAll(lane, claimed, signal);
        if (lost.length > 0) await options.report(lost);
      }
    },
  });
  return {
    ...loop,
    wake() {
      urgent = true;
      loop.wake();
    },
    refill: () => loop.wake(),
  };

  /**
   * Claims in one transaction. When the connection broke during its commit, nobody knows whether the tasks are claimed:
   * they are reported lost with the attempt that they would have, which changes nothing if they are not.
   */
  async function claimOrReport(input: ClaimOfLane): Promise<readonly ClaimedTask[]> {
    let claimed: readonly ClaimedTask[] = [];
    try {
      await database.transaction(async (trx) => {
        claimed = [];
        claimed = await claimOfLane(trx, input);
      });
      return claimed;
    } catch (error) {
      if (claimed.length > 0)
        await options.report(
          claimed.map(({ id, attempt }) => ({ taskId: id, attempt, outcome: { kind: "lost", why: "unconfirmed" } })),
        );
      throw error;
    }
  }

  async function publishAll(
    lane: TaskLane,
    tasks: readonly ClaimedTask[],
    signal: AbortSignal,
  ): Promise<readonly TaskReport[]> {
    const lost: TaskReport[] = [];
    const left = tasks.values();
    const publishNext = async (): Promise<void> => {
      for (const task of left) {
        const report = await publish(lane, task, signal);
        if (report) lost.push(report);
      }
    };
    await Promise.all(Array.from({ length: Math.min(publishConcurrency, tasks.length) }, publishNext));
    return lost;
  }

  async function publish(lane: TaskLane, task: ClaimedTask, signal: AbortSignal): Promise<TaskReport | undefined> {
    const of = { taskId: task.id, attempt: task.attempt };
    try {
      const message = taskMessage(task, timing);
      await bus.publish(queueOf(lane, task.priority), message, { signal });
      return undefined;
    } catch (error) {
      const fault = AppError.from(error);
      logger.warn({ taskId: task.id, lane, error: fault }, "A task could not be published.");
      // A message that can never be published would come back for ever.
      if (fault.code === "too-large" || fault.code === "internal")
        return { ...of, outcome: { kind: "failed", code: fault.code, message: fault.message } };
      return { ...of, outcome: { kind: "lost", why: "unconfirmed" } };
    }
  }
}

interface ClaimOfLane {
  readonly lane: TaskLane;
  readonly slots: number;
  readonly window: number;
  readonly nowMs: number;
  readonly lease: { readonly leaseUntilMs: number; readonly busEpoch: string };
  readonly aloneWaitMs: number;
}

/** One lane's transaction. Awaits nothing but statements. */
async function claimOfLane(trx: Db, input: ClaimOfLane): Promise<readonly ClaimedTask[]> {
  const { lane, slots, window, nowMs, lease } = input;
  await lockLane(trx, lane);
  const load = await laneLoad(trx, lane);
  if (load.alone) return [];
  const alone = await findAloneTask(trx, { lane, nowMs });
  if (alone !== undefined) {
    if (load.held === 0) return claimTasks(trx, { taskId: alone.id }, lease);
    if (alone.not_before + input.aloneWaitMs <= nowMs) return [];
  }
  const free = window - load.held;
  if (free <= 0) return [];
  switch (lane) {
    case "import":
    case "export":
      return claimTasks(trx, { lane, limit: free, nowMs }, lease);
    case "cpu":
    case "gpu":
      return claimSpeech(trx, { lane, free, tail: Math.min(slots * 2, largestTail), nowMs, lease });
    default:
      return assertNever(lane);
  }
}

async function claimSpeech(
  trx: Db,
  input: Pick<ClaimOfLane, "nowMs" | "lease"> & {
    readonly lane: "cpu" | "gpu";
    readonly free: number;
    readonly tail: number;
  },
): Promise<readonly ClaimedTask[]> {
  const { lane, free, tail, nowMs, lease } = input;
  const eligible = await listEligibleConversions(trx, { lane, nowMs, limit: free });
  if (eligible.length === 0) return [];
  const shared = shareWindow(eligible, free, await readLaneClock(trx, lane));
  const shares = [...shared.shares].map(([conversion_id, n]) => ({ conversion_id, n }));
  const claimed = await claimTasks(trx, { shares, tail, nowMs }, lease);
  const clocks = [...shared.ownerTimes].map(([owner_id, virtual_time]) => ({ owner_id, virtual_time }));
  await writeClocks(trx, { lane, clocks: [...clocks, { owner_id: "", virtual_time: shared.laneTime }] });
  return claimed;
}

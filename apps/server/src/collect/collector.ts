import {
  deadLetterQueue,
  resultMessageSchema,
  resultQueue,
  taskMessageSchema,
  taskQueues,
  type Outcome,
} from "@katari/contracts";
import { AppError } from "@katari/core";
import { isPassingDatabaseError } from "@katari/database";
import { appendEvents, listConversionsInState } from "@katari/database/statements";
import type { Acknowledgement, Consumer } from "@katari/queue";
import type { ServerContext } from "../server-context.ts";
import { createEventList } from "./event-list.ts";
import { settleTasks, tellDocuments, type Settled } from "./settle-tasks.ts";
import { storable } from "./storable.ts";
import type { TaskReport } from "./task-report.ts";

export interface Collector {
  start(): Promise<void>;
  /** Takes no more messages, writes what it holds (or hands it back, when the database is away), then ends. */
  stop(): Promise<void>;
  /** Reports from inside the server (lost tasks), through the same door; resolves when they are written. */
  report(reports: readonly TaskReport[]): Promise<void>;
}

/** Largest batch of one transaction. */
const batchSize = 200;
/** Counting takes at most one part in so many of the application's time. */
const countingShare = 20;
const firstPauseMs = 100;
const longestPauseMs = 10_000;

interface Held {
  readonly report: TaskReport;
  readonly settle: (answer: Acknowledgement) => void;
}

/**
 * Takes results and dead letters off the bus and writes them in batches; a message is acknowledged when its transaction
 * has committed. Each consumer has as many slots as a batch has places, so that while the database is away it holds at
 * most that many messages, takes no more, and gives none back.
 */
export function createCollector(
  context: ServerContext,
  options: { readonly onSettled: (settled: Settled) => void },
): Collector {
  const { database, bus, clock, logger, timing } = context;
  const held: Held[] = [];
  const lastToldMs = new Map<string, number>();
  /** What it took to count a document the last time: a long one is counted less often. */
  const countingMs = new Map<string, number>();
  const mayTell = (id: string, nowMs: number): boolean =>
    nowMs - (lastToldMs.get(id) ?? 0) >= Math.max(timing.progressMs, countingShare * (countingMs.get(id) ?? 0));
  /** Documents that are to be counted again, with the conversion that moved them. */
  const owed = new Map<string, string>();
  const consumers: Consumer[] = [];
  let writing: Promise<void> | undefined;
  let batchTimer: NodeJS.Timeout | undefined;
  let progressTimer: NodeJS.Timeout | undefined;
  let telling: Promise<void> | undefined;
  let stopping = false;
  let wakeFromPause: (() => void) | undefined;

  const add = (report: TaskReport): Promise<Acknowledgement> =>
    new Promise((resolve) => {
      held.push({ report, settle: resolve });
      if (held.length >= batchSize) write();
      else batchTimer ??= setTimeout(write, timing.batchMs);
    });

  function write(): void {
    clearTimeout(batchTimer);
    batchTimer = undefined;
    writing ??= writeAll().finally(() => {
      writing = undefined;
      if (held.length > 0) write();
    });
  }

  async function writeAll(): Promise<void> {
    while (held.length > 0) {
      const batch = held.splice(0, batchSize);
      await writeBatch(batch);
    }
  }

  /** Writes a batch; one that the database refuses for itself is halved until the report that is at fault stands alone. */
  async function writeBatch(batch: readonly Held[]): Promise<void> {
    for (let failures = 1; ; failures++) {
      try {
        const settled = await settleNow(batch.map((each) => each.report));
        for (const each of batch) each.settle("ack");
        remember(settled);
        return;
      } catch (error) {
        const passing = isPassingDatabaseError(error);
        logger.warn({ results: batch.length, failures, error: AppError.from(error) }, "Results could not be written.");
        if (passing || failures === 1) {
          if (stopping) {
            for (const each of batch) each.settle("requeue");
            return;
          }
          await pause(Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs));
          continue;
        }
        const [only] = batch;
        if (batch.length === 1 && only !== undefined) return refuse(only);
        const middle = Math.ceil(batch.length / 2);
        await writeBatch(batch.slice(0, middle));
        await writeBatch(batch.slice(middle));
        return;
      }
    }
  }

  /** A result that cannot be written fails its task, with a reason, instead of blocking all others. */
  async function refuse({ report, settle }: Held): Promise<void> {
    const outcome: Outcome = {
      kind: "failed",
      code: "internal",
      message: "The worker's answer could not be stored.",
      cure: "Retry the conversion; if it stays, report it with the log.",
    };
    try {
      remember(await settleNow([{ ...report, outcome }]));
    } catch (error) {
      logger.error({ taskId: report.taskId, error: AppError.from(error) }, "A result was dropped.");
    }
    settle("ack");
  }

  const settleNow = (reports: readonly TaskReport[]): Promise<Settled> => {
    const nowMs = clock.now();
    return database.transaction((trx) =>
      settleTasks(trx, reports, {
        nowMs,
        leaseMs: timing.leaseMs,
        maxRetryMs: timing.maxRetryMs,
        mayTell: (id) => mayTell(id, nowMs),
        owedTo: (conversionId) => [...owed].flatMap(([id, by]) => (by === conversionId ? [id] : [])),
      }),
    );
  };

  function remember(settled: Settled): void {
    const nowMs = clock.now();
    for (const id of settled.told) {
      lastToldMs.set(id, nowMs);
      owed.delete(id);
    }
    for (const { document_id, conversion_id } of settled.owed) owed.set(document_id, conversion_id);
    tellLater();
    if (lastToldMs.size > 10_000) {
      lastToldMs.clear();
      countingMs.clear();
    }
    options.onSettled(settled);
  }

  function tellLater(): void {
    if (owed.size === 0 || stopping) return;
    progressTimer ??= setTimeout(() => {
      telling = tellOwed().finally(() => {
        progressTimer = undefined;
        tellLater();
      });
    }, timing.progressMs);
  }

  /** Counts what is owed, each document in a transaction of its own. What fails stays owed. */
  async function tellOwed(): Promise<void> {
    for (const [documentId, conversionId] of owed) {
      const nowMs = clock.now();
      if (!stopping && !mayTell(documentId, nowMs)) continue;
      try {
        await database.transaction(async (trx) => {
          const events = createEventList();
          await tellDocuments(trx, new Map([[documentId, conversionId]]), events);
          for (const [projectId, list] of events.byProject())
            await appendEvents(trx, { projectId, events: list, nowMs });
        });
        lastToldMs.set(documentId, nowMs);
        countingMs.set(documentId, clock.now() - nowMs);
        owed.delete(documentId);
      } catch (error) {
        logger.warn({ documentId, error: AppError.from(error) }, "Progress could not be told yet.");
        return;
      }
    }
  }

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wakeFromPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const onResult = async (body: unknown): Promise<Acknowledgement> => {
    const parsed = resultMessageSchema.safeParse(body);
    if (!parsed.success) {
      // Its task keeps its lease and comes back by the sweeper, so nothing is lost with the message.
      logger.error({ issues: parsed.error.issues.slice(0, 3) }, "A result could not be read.");
      return "ack";
    }
    const { taskId, attempt, outcome } = parsed.data;
    return add({ taskId, attempt, outcome: storable(outcome) });
  };

  const onDeadLetter = async (body: unknown): Promise<Acknowledgement> => {
    const parsed = taskMessageSchema.safeParse(body);
    if (!parsed.success) {
      logger.error({ issues: parsed.error.issues.slice(0, 3) }, "A dead letter could not be read.");
      return "ack";
    }
    return add({ taskId: parsed.data.taskId, attempt: parsed.data.attempt, outcome: { kind: "crashed" } });
  };

  return {
    async start() {
      // A server that died may have owed the progress of any document that is under way.
      const live = await listConversionsInState(database.db, ["planning", "running", "pausing", "cancelling"]);
      for (const { id, document_ids } of live) for (const documentId of document_ids) owed.set(documentId, id);
      tellLater();
      consumers.push(await bus.consume(resultQueue, { slots: batchSize }, ({ body }) => onResult(body)));
      consumers.push(await bus.consume(deadLetterQueue(resultQueue), { slots: 1 }, ({ body }) => onResult(body)));
      for (const queue of taskQueues)
        consumers.push(await bus.consume(deadLetterQueue(queue), { slots: 8 }, ({ body }) => onDeadLetter(body)));
    },
    async stop() {
      stopping = true;
      wakeFromPause?.();
      await Promise.all(consumers.splice(0).map((consumer) => consumer.cancel()));
      for (let running = writing; running !== undefined; running = writing) await running;
      clearTimeout(batchTimer);
      clearTimeout(progressTimer);
      await telling;
      await tellOwed();
    },
    async report(reports) {
      await Promise.all(reports.map(add));
    },
  };
}

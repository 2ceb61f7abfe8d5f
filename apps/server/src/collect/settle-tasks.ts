import { defaultPauses, isLiveTask, type ProjectEvent, type Take } from "@katari/core";
import type { Db } from "@katari/database";
import {
  findTouchedConversions,
  insertTakes,
  listDocumentsOfTakes,
  lockConversions,
  lockDocuments,
  lockTouchedTasks,
  recountDocuments,
  writeTaskChanges,
  type DocumentCounts,
} from "@katari/database/statements";
import { soundMarginMs } from "../assembly/pauses.ts";
import { createEventList, type EventList } from "./event-list.ts";
import { settleConversions } from "./settle-conversions.ts";
import { settleExports, settleImportsAndTell, type WorkReport } from "./settle-work.ts";
import { succeed, taskOutcome } from "./task-outcome.ts";
import type { TaskReport } from "./task-report.ts";

export interface SettleOptions {
  readonly nowMs: number;
  readonly leaseMs: number;
  readonly maxRetryMs: number;
  /** Whether a document's or an export's progress may be told now, or is owed until later. */
  readonly mayTell: (id: string) => boolean;
  /** Documents whose progress is owed to a conversion: they are told before its end is. */
  readonly owedTo: (conversionId: string) => readonly string[];
}

/** A document that wanted a take which has come, with the conversion that brought it. */
export interface WantingDocument {
  readonly document_id: string;
  readonly conversion_id: string;
}

/** A document's progress as an event. */
interface Progress {
  readonly projectId: string;
  readonly event: Extract<ProjectEvent, { type: "progress" }>;
}

export interface Settled {
  /** Documents and exports whose progress is up to date, and documents that are still to be counted again. */
  readonly told: readonly string[];
  readonly owed: readonly WantingDocument[];
  /** Whether the loader or the dispatcher may have something to do. */
  readonly wakeLoader: boolean;
  readonly wakeDispatcher: boolean;
}

/**
 * Writes what a batch of reports does, as one transaction: locks conversions by id, then tasks by id, then documents by
 * id, and the projects' rows last of all (event ids). Reports of one task are applied in the order in which they came.
 * Takes are registered before any state is written; every live or failed task with such a take is done, whatever
 * conversion it belongs to. Awaits nothing but statements; calling it again with the same batch changes nothing.
 */
export async function settleTasks(trx: Db, reports: readonly TaskReport[], options: SettleOptions): Promise<Settled> {
  const { nowMs } = options;
  const takes = takesOf(reports);
  const touched = { taskIds: [...new Set(reports.map((report) => report.taskId))], takeKeys: [...takes.keys()] };
  const conversionIds = await findTouchedConversions(trx, touched);
  const conversions = new Map((await lockConversions(trx, conversionIds)).map((row) => [row.id, row]));
  const before = await lockTouchedTasks(trx, { ...touched, conversionIds });
  const after = new Map(before.map((task) => [task.id, task]));
  const registered = new Map<string, Take>();
  const work: WorkReport[] = [];

  for (const report of reports) {
    const task = after.get(report.taskId);
    // The project was deleted, or it is an answer to another installation's task.
    if (task === undefined) continue;
    const conversionState = task.conversion_id === null ? undefined : conversions.get(task.conversion_id)?.state;
    const result = taskOutcome(task, report, { ...options, conversionState });
    after.set(task.id, result.task);
    const take = takeOf(report);
    if (result.registerTake && take !== undefined && !registered.has(take.key)) registered.set(take.key, take);
    if (task.kind !== "speech" && result.task !== task) work.push({ task: result.task, report });
  }
  for (const task of before) {
    const now = after.get(task.id) ?? task;
    if (task.take_key === null || !registered.has(task.take_key)) continue;
    if (isLiveTask(now.state) || now.state === "failed") after.set(task.id, succeed(now, nowMs));
  }

  await insertTakes(trx, { takes: [...registered.values()], nowMs });
  const changed = before.flatMap((task) => {
    const now = after.get(task.id) ?? task;
    return now === task ? [] : [{ before: task, now }];
  });
  await writeTaskChanges(
    trx,
    changed.map(({ now }) => now),
  );

  const events = createEventList();
  for (const { before: was, now } of changed)
    if (now.state === "failed" && was.state !== "failed" && now.conversion_id !== null)
      events.add(now.project_id, {
        type: "task-failed",
        conversionId: now.conversion_id,
        taskId: now.id,
        code: now.reason_code ?? "internal",
        message: now.reason ?? "",
      });
  const ended = await settleConversions(trx, conversions, changed, nowMs, events);
  const progress = await settleDocuments(trx, [...registered.keys()], ended, options, events);
  const told = [...progress.told, ...(await settleExports(trx, work, options.mayTell, events))];
  const wakeLoader = await settleImportsAndTell(trx, work, events, nowMs);
  const wakeDispatcher = changed.some(({ before: was }) => was.state === "queued" || was.state === "running");
  return { told, owed: progress.owed, wakeLoader, wakeDispatcher };
}

function takeOf({ outcome }: TaskReport): Take | undefined {
  return outcome.kind === "succeeded" && outcome.result.kind === "speech" ? outcome.result.take : undefined;
}

function takesOf(reports: readonly TaskReport[]): Map<string, Take> {
  const takes = new Map<string, Take>();
  for (const report of reports) {
    const take = takeOf(report);
    if (take !== undefined && !takes.has(take.key)) takes.set(take.key, take);
  }
  return takes;
}

/**
 * Counts the documents again that wanted one of the takes, or owes it: counting costs as much as the document is long,
 * so it is done now and then, and always before a conversion's end is told.
 */
async function settleDocuments(
  trx: Db,
  takeKeys: readonly string[],
  ended: ReadonlySet<string>,
  options: SettleOptions,
  events: EventList,
): Promise<Pick<Settled, "told" | "owed">> {
  const wanting = await listDocumentsOfTakes(trx, takeKeys);
  const due = new Map<string, string>();
  const owed: WantingDocument[] = [];
  for (const each of wanting)
    if (ended.has(each.conversion_id) || options.mayTell(each.document_id))
      due.set(each.document_id, each.conversion_id);
    else owed.push(each);
  for (const conversionId of ended)
    for (const documentId of options.owedTo(conversionId)) due.set(documentId, conversionId);
  if (due.size > 0) await tellDocuments(trx, due, events);
  return { told: [...due.keys()], owed };
}

/** Counts documents again, under their locks, and adds the progress of those that have moved. */
export async function tellDocuments(
  trx: Db,
  conversionByDocument: ReadonlyMap<string, string>,
  events: EventList,
): Promise<void> {
  const documentIds = [...conversionByDocument.keys()];
  await lockDocuments(trx, documentIds);
  const counts = await recountDocuments(trx, { documentIds, pauses: defaultPauses, marginMs: soundMarginMs });
  for (const row of counts) {
    const { projectId, event } = progressOf(row, conversionByDocument.get(row.id) ?? "");
    events.add(projectId, event);
  }
}

/** A document's counts as an event. */
export function progressOf(row: DocumentCounts, conversionId: string): Progress {
  return {
    projectId: row.project_id,
    event: {
      type: "progress",
      conversionId,
      documentId: row.id,
      readySegments: row.ready_segments,
      totalSegments: row.voiced_segments,
      audioMs: row.audio_ms,
    },
  };
}

import type { ExportedFile } from "@katari/contracts";
import {
  defaultPauses,
  type AppError,
  isLiveTask,
  type ConversionState,
  type ProjectEvent,
  type Take,
} from "@katari/core";
import type { Db } from "@katari/database";
import {
  appendEvents,
  countHeldTasks,
  findTouchedConversions,
  insertTakes,
  listDocumentsOfTakes,
  lockConversions,
  lockDocuments,
  lockTouchedTasks,
  recountDocuments,
  setImportOutcome,
  updateConversion,
  updateExport,
  writeTaskChanges,
  type ConversionRow,
  type DocumentCounts,
  type LockedTask,
} from "@katari/database/statements";
import { soundMarginMs } from "../assembly/pauses.ts";
import { settledState } from "./conversion-state.ts";
import { succeed, taskOutcome } from "./task-outcome.ts";
import type { TaskReport } from "./task-report.ts";

export interface SettleOptions {
  readonly nowMs: number;
  readonly leaseMs: number;
  readonly maxRetryMs: number;
  /** Whether a document's or an export's progress may be told now, or is owed until later. */
  readonly mayTell: (id: string) => boolean;
}

/** A document's progress as an event. */
export interface Progress {
  readonly projectId: string;
  readonly event: Extract<ProjectEvent, { type: "progress" }>;
}

export interface Settled {
  /** What was told by the events of this transaction, and what was held back. */
  readonly told: readonly string[];
  readonly owed: readonly Progress[];
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
  const work: { readonly task: LockedTask; readonly report: TaskReport }[] = [];

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
  const ended = await settleConversions(trx, conversions, changed, options, events);
  const progress = await settleDocuments(trx, [...registered.keys()], ended, options, events);
  const told = [...progress.told, ...(await settleExports(trx, work, options, events))];
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

interface EventList {
  add(projectId: string, event: ProjectEvent): void;
  /** Has the project in the list, with or without an event. */
  touch(projectId: string): void;
  /** In the order of project ids: the order in which the projects' rows are locked. */
  byProject(): readonly (readonly [string, readonly ProjectEvent[]])[];
}

function createEventList(): EventList {
  const events = new Map<string, ProjectEvent[]>();
  const listOf = (projectId: string): ProjectEvent[] => {
    const list = events.get(projectId) ?? [];
    events.set(projectId, list);
    return list;
  };
  return {
    touch: listOf,
    add: (projectId, event) => listOf(projectId).push(event),
    byProject: () => [...events].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  };
}

interface ChangedTask {
  readonly before: LockedTask;
  readonly now: LockedTask;
}

/** Counts what really changed, and ends the conversions that have come to their end. Says which. */
async function settleConversions(
  trx: Db,
  conversions: ReadonlyMap<string, ConversionRow>,
  changed: readonly ChangedTask[],
  options: SettleOptions,
  events: EventList,
): Promise<ReadonlySet<string>> {
  const ended = new Set<string>();
  for (const conversion of conversions.values()) {
    const own = changed.filter(({ now }) => now.conversion_id === conversion.id);
    if (own.length === 0) continue;
    const count = (is: (task: LockedTask) => boolean): number =>
      own.reduce((sum, { before, now }) => sum + Number(is(now)) - Number(is(before)), 0);
    const addRemaining = count((task) => isLiveTask(task.state));
    const addFailed = count((task) => task.state === "failed");
    const remaining = conversion.remaining + addRemaining;
    const state = settledState({
      state: conversion.state,
      planned: conversion.planned_documents >= conversion.document_ids.length,
      remaining,
      failed: conversion.failed + addFailed,
      held: conversion.state === "pausing" ? await countHeldTasks(trx, conversion.id) : 0,
    });
    await writeConversion(trx, conversion, { state, addRemaining, addFailed, nowMs: options.nowMs });
    if (remaining === 0) ended.add(conversion.id);
    if (state !== conversion.state)
      events.add(conversion.project_id, { type: "conversion", conversionId: conversion.id, state });
  }
  return ended;
}

/** Writes a locked conversion's state and counts. An ended one keeps the time of its end. */
export async function writeConversion(
  trx: Db,
  conversion: ConversionRow,
  change: {
    readonly state: ConversionState;
    readonly addRemaining?: number;
    readonly addFailed?: number;
    readonly addTasks?: number;
    readonly nowMs: number;
    readonly message?: string;
  },
): Promise<void> {
  const ended = change.state === "succeeded" || change.state === "failed" || change.state === "cancelled";
  const endedAtMs = ended ? (conversion.ended_at ?? change.nowMs) : undefined;
  const { nowMs: _nowMs, message = conversion.message ?? undefined, ...counts } = change;
  await updateConversion(trx, {
    id: conversion.id,
    ...counts,
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
    ...(message === undefined ? {} : { message }),
  });
}

/** Counts the documents again that wanted one of the takes, and tells their progress or owes it. */
async function settleDocuments(
  trx: Db,
  takeKeys: readonly string[],
  ended: ReadonlySet<string>,
  options: SettleOptions,
  events: EventList,
): Promise<Pick<Settled, "told" | "owed">> {
  const wanting = await listDocumentsOfTakes(trx, takeKeys);
  if (wanting.length === 0) return { told: [], owed: [] };
  const documentIds = wanting.map((row) => row.document_id);
  await lockDocuments(trx, documentIds);
  const counts = await recountDocuments(trx, { documentIds, pauses: defaultPauses, marginMs: soundMarginMs });
  const told: string[] = [];
  const owed: Progress[] = [];
  for (const row of counts) {
    const conversionId = wanting.find((each) => each.document_id === row.id)?.conversion_id ?? "";
    const progress = progressOf(row, conversionId);
    // The last word of a conversion is never owed: whoever waits for its end finds the numbers right.
    if (!ended.has(conversionId) && !options.mayTell(row.id)) owed.push(progress);
    else {
      told.push(row.id);
      events.add(progress.projectId, progress.event);
    }
  }
  return { told, owed };
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

interface WorkReport {
  readonly task: LockedTask;
  readonly report: TaskReport;
}

const failureOf = (task: LockedTask): { code: AppError["code"]; message: string; cure?: string } => ({
  code: task.reason_code ?? "internal",
  message: task.reason ?? "It failed without a reason.",
  ...(task.cure === null ? {} : { cure: task.cure }),
});

async function settleExports(
  trx: Db,
  work: readonly WorkReport[],
  options: SettleOptions,
  events: EventList,
): Promise<readonly string[]> {
  const told: string[] = [];
  for (const { task, report } of work) {
    if (task.kind !== "export" || task.export_id === null) continue;
    const exportId = task.export_id;
    const { outcome } = report;
    if (task.state === "running") {
      const progress = outcome.kind === "progress" ? outcome.ratio : 0;
      const changed = await updateExport(trx, { exportId, state: "running", progress });
      if (!changed || (outcome.kind === "progress" && !options.mayTell(exportId))) continue;
      told.push(exportId);
      events.add(task.project_id, { type: "export", exportId, state: "running", progress });
    } else if (task.state === "succeeded" && outcome.kind === "succeeded" && outcome.result.kind === "export") {
      const file: ExportedFile = outcome.result.file;
      if (await updateExport(trx, { exportId, state: "ready", progress: 1, file }))
        events.add(task.project_id, { type: "export", exportId, state: "ready", progress: 1 });
    } else if (task.state === "failed" || task.state === "cancelled") {
      const failure = task.state === "failed" ? failureOf(task) : cancelledWork;
      if (await updateExport(trx, { exportId, state: "failed", progress: 0, failure }))
        events.add(task.project_id, { type: "export", exportId, state: "failed", message: failure.message });
    }
  }
  return told;
}

const cancelledWork = { code: "cancelled", message: "It was cancelled." } as const;

/** Imports change the project's row itself, so they are written together with its events, project by project. */
async function settleImportsAndTell(
  trx: Db,
  work: readonly WorkReport[],
  events: EventList,
  nowMs: number,
): Promise<boolean> {
  let wakeLoader = false;
  const imports = work.filter(({ task }) => task.kind === "import");
  for (const { task } of imports) events.touch(task.project_id);
  for (const [projectId, list] of events.byProject()) {
    let told = list;
    for (const { task, report } of imports) {
      if (task.project_id !== projectId) continue;
      const changed = await settleImport(trx, task, report);
      if (changed) told = [...told, importEvent(task)];
      wakeLoader ||= changed && task.state === "succeeded";
    }
    if (told.length > 0) await appendEvents(trx, { projectId, events: told, nowMs });
  }
  return wakeLoader;
}

function importEvent(task: LockedTask): Extract<ProjectEvent, { type: "import" }> {
  if (task.state === "failed" || task.state === "cancelled")
    return {
      type: "import",
      state: "failed",
      message: task.state === "failed" ? failureOf(task).message : cancelledWork.message,
    };
  // Succeeded, too: it is ready when the loader has brought in the last chapter.
  return { type: "import", state: "running" };
}

async function settleImport(trx: Db, task: LockedTask, { outcome }: TaskReport): Promise<boolean> {
  const of = { projectId: task.project_id, from: ["waiting", "running"] as const };
  if (task.state === "failed") return setImportOutcome(trx, { ...of, state: "failed", failure: failureOf(task) });
  if (task.state === "cancelled") return setImportOutcome(trx, { ...of, state: "failed", failure: cancelledWork });
  if (task.state === "succeeded" && outcome.kind === "succeeded" && outcome.result.kind === "import")
    return setImportOutcome(trx, { ...of, state: "running", indexKey: outcome.result.indexKey });
  if (task.state === "running") return setImportOutcome(trx, { ...of, from: ["waiting"], state: "running" });
  return false;
}

import type { ExportedFile } from "@katari/contracts";
import type { AppError, ProjectEvent } from "@katari/core";
import type { Db } from "@katari/database";
import { appendEvents, setImportOutcome, updateExport, type LockedTask } from "@katari/database/statements";
import type { EventList } from "./event-list.ts";
import type { TaskReport } from "./task-report.ts";

/** A changed import or export task with the report that changed it. */
export interface WorkReport {
  readonly task: LockedTask;
  readonly report: TaskReport;
}

const failureOf = (task: LockedTask): { code: AppError["code"]; message: string; cure?: string } => ({
  code: task.reason_code ?? "internal",
  message: task.reason ?? "It failed without a reason.",
  ...(task.cure === null ? {} : { cure: task.cure }),
});

/** Moves exports on as their tasks went. Says whose progress was told. */
export async function settleExports(
  trx: Db,
  work: readonly WorkReport[],
  mayTell: (id: string) => boolean,
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
      if (!changed || (outcome.kind === "progress" && !mayTell(exportId))) continue;
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
export async function settleImportsAndTell(
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

import type { Conversion, Export, ProjectDetail } from "@katari/contracts";
import { AppError, isEndedConversion, type ErrorCode } from "@katari/core";
import type { ApiClient } from "../../client/api-client.ts";
import { clockTime, type Progress } from "../../output/progress.ts";

/** Waits until the import has ended; throws its error. Returns the project with its documents. */
export async function followImport(
  api: ApiClient,
  projectId: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<ProjectDetail> {
  const look = async (): Promise<ProjectDetail | undefined> => {
    const project = await api.getProject(projectId);
    if (project.importState === "failed")
      throw toldError(project.importCode, project.importMessage ?? "The import failed.", project.importCure);
    return project.importState === "ready" ? project : undefined;
  };
  progress.update("Reading the source", undefined);
  const first = await api.getProject(projectId);
  const ready = await look();
  if (ready !== undefined) return ready;
  for await (const stored of api.events(projectId, first.lastEventId, signal)) {
    if (stored !== undefined && stored.event.type !== "import") continue;
    const project = await look();
    if (project !== undefined) return project;
  }
  throw cancelled();
}

/** Waits until a conversion has ended, drawing segments, audio seconds per second and the remaining time. */
export async function followConversion(
  api: ApiClient,
  input: { project: ProjectDetail; conversion: Conversion; progress: Progress; now: () => number; signal: AbortSignal },
): Promise<Conversion> {
  const { project, progress, now, signal } = input;
  const chosen = new Set(input.conversion.documents);
  const documents = new Map<string, { ready: number; total: number; audioMs: number }>();
  const adopt = (detail: ProjectDetail): void => {
    for (const document of detail.documents)
      if (chosen.has(document.id))
        documents.set(document.id, {
          ready: document.readySegments,
          total: document.voicedSegments,
          audioMs: document.audioMs,
        });
  };
  const sum = (pick: (value: { ready: number; total: number; audioMs: number }) => number): number =>
    [...documents.values()].reduce((total, value) => total + pick(value), 0);

  adopt(project);
  const startedAtMs = now();
  const readyAtStart = sum((value) => value.ready);
  const audioAtStart = sum((value) => value.audioMs);
  let conversion = await api.getConversion(input.conversion.id);
  const draw = (): void => {
    const ready = sum((value) => value.ready);
    const total = Math.max(
      1,
      sum((value) => value.total),
    );
    const elapsedMs = Math.max(1, now() - startedAtMs);
    const made = ready - readyAtStart;
    const rate = (sum((value) => value.audioMs) - audioAtStart) / elapsedMs;
    const details = [`${ready}/${total} sentences`];
    if (made > 0) {
      details.push(`${rate.toFixed(1)} s of audio a second`);
      details.push(`${clockTime(((total - ready) / made) * elapsedMs)} left`);
    } else if (conversion.waitingForWorkerSinceMs !== undefined) details.push("waiting for a worker");
    progress.update("Narrating", ready / total, details.join(", "));
  };
  draw();
  for await (const stored of isEndedConversion(conversion.state)
    ? []
    : api.events(project.id, project.lastEventId, signal)) {
    if (stored === undefined) {
      adopt(await api.getProject(project.id));
      conversion = await api.getConversion(conversion.id);
    } else if (stored.event.type === "progress" && chosen.has(stored.event.documentId)) {
      const { documentId, readySegments, totalSegments, audioMs } = stored.event;
      documents.set(documentId, { ready: readySegments, total: totalSegments, audioMs });
    } else if (stored.event.type === "conversion" && stored.event.conversionId === conversion.id) {
      conversion = await api.getConversion(conversion.id);
    }
    draw();
    if (isEndedConversion(conversion.state)) break;
  }
  if (!isEndedConversion(conversion.state)) throw cancelled();
  return conversion;
}

/** Waits until an export is ready; throws its error. */
export async function followExport(
  api: ApiClient,
  input: { projectId: string; after: number; started: Export; progress: Progress; signal: AbortSignal },
): Promise<Export> {
  let current = input.started;
  const ended = (): boolean => current.state === "ready" || current.state === "failed";
  if (!ended()) current = await api.getExport(current.id);
  for await (const stored of ended() ? [] : api.events(input.projectId, input.after, input.signal)) {
    if (stored !== undefined && (stored.event.type !== "export" || stored.event.exportId !== current.id)) continue;
    current = await api.getExport(current.id);
    input.progress.update("Writing the audiobook", current.progress);
    if (ended()) break;
  }
  if (current.state === "failed") throw toldError(current.code, current.message ?? "The export failed.", current.cure);
  if (current.state !== "ready") throw cancelled();
  return current;
}

function toldError(code: ErrorCode | undefined, message: string, cure?: string): AppError {
  return new AppError(code ?? "internal", message, cure === undefined ? {} : { cure });
}

function cancelled(): AppError {
  return new AppError("cancelled", "Stopped.", { cure: "Run the same command again: it goes on where it was." });
}

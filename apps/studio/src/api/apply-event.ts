import type { ProjectDetail, StreamedEvent } from "@katari/contracts";

/** A project after an event, and whether the page has to ask the server for what the event does not carry. */
export interface Applied {
  readonly project: ProjectDetail;
  readonly refetch: boolean;
}

/**
 * Applies one event of the stream to what the page knows. Events come at least once and in order: one that the project
 * already contains changes nothing. Types that are not known are passed over.
 */
export function applyEvent(project: ProjectDetail, { id, event }: StreamedEvent): Applied {
  if (id <= project.lastEventId) return { project, refetch: false };
  const next = { ...project, lastEventId: id };
  switch (event.type) {
    case "import":
      // How it ended is shown when what belongs to it is there: chapters and title, or why it failed and what to do.
      return {
        project: isOver(event.state) ? next : { ...next, importState: event.state },
        refetch: true,
      };
    case "conversion": {
      const known = project.conversions.some((one) => one.id === event.conversionId);
      const conversions = project.conversions.map((one) =>
        one.id === event.conversionId ? { ...one, state: event.state } : one,
      );
      // Its counts are not in the event, and an end may have brought failures.
      return { project: { ...next, conversions }, refetch: !known || event.state !== "running" };
    }
    case "progress":
      return { project: withProgress(next, event), refetch: false };
    case "task-failed": {
      const conversions = project.conversions.map((one) =>
        one.id === event.conversionId ? { ...one, failed: one.failed + 1 } : one,
      );
      return { project: { ...next, conversions }, refetch: true };
    }
    case "export": {
      const known = project.exports.some((one) => one.id === event.exportId);
      const over = isOver(event.state);
      const exports = project.exports.map((one) =>
        one.id === event.exportId
          ? {
              ...one,
              state: over ? one.state : event.state,
              progress: event.progress ?? (event.state === "ready" ? 1 : one.progress),
            }
          : one,
      );
      // The file's name, size and length, or why it failed, are not in the event; it is over when they are there.
      return { project: { ...next, exports }, refetch: !known || over };
    }
    default:
      return { project: next, refetch: false };
  }
}

const isOver = (state: ProjectDetail["importState"]): boolean => state === "ready" || state === "failed";

function withProgress(
  project: ProjectDetail,
  event: Extract<StreamedEvent["event"], { type: "progress" }>,
): ProjectDetail {
  const documents = project.documents.map((one) =>
    one.id === event.documentId
      ? { ...one, readySegments: event.readySegments, voicedSegments: event.totalSegments, audioMs: event.audioMs }
      : one,
  );
  return {
    ...project,
    documents,
    readySegments: documents.reduce((sum, one) => sum + one.readySegments, 0),
    voicedSegments: documents.reduce((sum, one) => sum + one.voicedSegments, 0),
    audioMs: documents.reduce((sum, one) => sum + one.audioMs, 0),
  };
}

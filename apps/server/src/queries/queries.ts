import type { ExportedFile, ExportFormat, System } from "@katari/contracts";
import { AppError, taskStates, type TaskState } from "@katari/core";
import {
  countTasksByState,
  findSegment,
  listConversions,
  listDocuments,
  listEvents,
  listExports,
  listProjects,
  listSegments,
  listSkippedTexts,
} from "@katari/database/statements";
import type { Application } from "../application.ts";
import { pausesOf } from "../assembly/pauses.ts";
import { chooseDocuments } from "../conversions/start-conversion.ts";
import type { WorkerRegistry } from "../dispatch/worker-registry.ts";
import { clipOf, isReady } from "../exports/assembly-plan.ts";
import { mediaTypeOf } from "../exports/media-type.ts";
import { missing, ownedConversion, ownedExport, ownedProject } from "../owned.ts";
import { listVoices, type Voices } from "../planner/voices.ts";
import type { ServerContext } from "../server-context.ts";
import { conversionAnswer, documentSummary, exportAnswer, projectSummary, segmentAnswer } from "./answers.ts";
import { completeness } from "./completeness.ts";

export type Queries = Pick<
  Application,
  | "listProjects"
  | "getProject"
  | "getCover"
  | "getCompleteness"
  | "listSegments"
  | "getSegmentAudio"
  | "getConversion"
  | "getExport"
  | "getExportFile"
  | "listVoices"
  | "getSystem"
  | "eventsAfter"
>;

const mostSegments = 1_000;
const mostEvents = 1_000;

/** What only reads. Answers that have several statements read one snapshot, so that their parts fit together. */
export function createQueries(options: {
  readonly context: ServerContext;
  readonly voices: Voices;
  readonly workers: WorkerRegistry;
  readonly version: string;
  readonly adapters: Readonly<Record<string, string>>;
}): Queries {
  const { context, voices, workers, version, adapters } = options;
  const { database } = context;

  return {
    async listProjects(caller) {
      const rows = await listProjects(database.db, { ownerId: caller.ownerId });
      return rows.map(projectSummary);
    },
    getProject(caller, projectId) {
      return database.snapshot(async (trx) => {
        const [project] = await listProjects(trx, { ownerId: caller.ownerId, projectId });
        if (project === undefined) throw missing("project");
        const skipped = await listSkippedTexts(trx, { projectId });
        return {
          ...projectSummary(project),
          documents: (await listDocuments(trx, projectId)).map(documentSummary),
          skipped: skipped.map(({ rule, title, characters }) => ({ title: title ?? "", rule, characters })),
          conversions: (await listConversions(trx, projectId)).map((row) => conversionAnswer(row, workers)),
          exports: (await listExports(trx, projectId)).map(exportAnswer),
          lastEventId: project.last_event_id,
        };
      });
    },
    async getCover(caller, projectId) {
      const { cover_key, cover_media_type } = await ownedProject(context, caller, projectId);
      if (cover_key === null || cover_media_type === null) throw missing("cover");
      return { objectKey: cover_key, mediaType: cover_media_type };
    },
    async getCompleteness(caller, projectId, documents) {
      await ownedProject(context, caller, projectId);
      const chosen = documents === undefined ? undefined : await chooseDocuments(context, projectId, documents);
      return database.snapshot((trx) =>
        completeness(trx, { projectId, ...(chosen === undefined ? {} : { documents: chosen }) }),
      );
    },
    async listSegments(caller, { projectId, documentId, after, limit }) {
      const project = await ownedProject(context, caller, projectId);
      await chooseDocuments(context, projectId, [documentId]);
      const place = after === undefined ? undefined : await findSegment(database.db, { projectId, segmentId: after });
      if (after !== undefined && place?.document_id !== documentId) throw missing("segment");
      const size = Math.min(Math.max(limit, 1), mostSegments);
      const rows = await listSegments(database.db, { documentId, after: place?.ordinal ?? -1, limit: size + 1 });
      const page = rows.slice(0, size);
      const pauses = pausesOf(project.settings);
      const next = rows.length > size ? page.at(-1)?.id : undefined;
      return { segments: page.map((row) => segmentAnswer(row, pauses)), ...(next === undefined ? {} : { next }) };
    },
    async getSegmentAudio(caller, projectId, segmentId) {
      await ownedProject(context, caller, projectId);
      const place = await findSegment(database.db, { projectId, segmentId });
      if (place === undefined) throw missing("segment");
      const [row] = await listSegments(database.db, {
        documentId: place.document_id,
        after: place.ordinal - 1,
        limit: 1,
      });
      const sampleRate = row?.takes[0]?.sampleRate;
      if (row === undefined || !isReady(row) || sampleRate === null || sampleRate === undefined)
        throw new AppError("not-found", "This sentence has no sound yet.", { cure: "Convert it first." });
      const clips = row.takes.flatMap(({ audioKey, part }) =>
        audioKey === null || part === null ? [] : [clipOf(audioKey, part, sampleRate)],
      );
      return { sampleRate, clips };
    },
    async getConversion(caller, conversionId) {
      return conversionAnswer(await ownedConversion(context, caller, conversionId), workers);
    },
    async getExport(caller, exportId) {
      return exportAnswer(await ownedExport(context, caller, exportId));
    },
    async getExportFile(caller, exportId) {
      const row = await ownedExport(context, caller, exportId);
      const file = row.file as ExportedFile | null;
      if (row.state !== "ready" || file === null)
        throw new AppError("not-found", "The file is not ready yet.", { cure: "Wait until the export is ready." });
      const format = row.format as ExportFormat;
      return {
        objectKey: file.objectKey,
        fileName: row.file_name ?? `audiobook.${format}`,
        sizeBytes: file.sizeBytes,
        mediaType: mediaTypeOf(format),
        sha256: file.sha256,
      };
    },
    listVoices: () => listVoices(voices),
    async getSystem() {
      const counts = await countTasksByState(database.db);
      const tasks = Object.fromEntries(
        taskStates.map((state) => [state, counts.find((row) => row.state === state)?.n ?? 0]),
      ) as Record<TaskState, number>;
      const system: System = { version, adapters: { ...adapters }, workers: workers.list(), tasks };
      return system;
    },
    async eventsAfter(caller, projectId, after, limit) {
      await ownedProject(context, caller, projectId);
      return listEvents(database.db, { projectId, after, limit: Math.min(limit, mostEvents) });
    },
  };
}

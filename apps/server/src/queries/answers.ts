import type {
  Conversion,
  DocumentSummary,
  Export,
  ExportedFile,
  ExportFormat,
  ProjectSummary,
  Segment,
} from "@katari/contracts";
import type { ConversionRow, DocumentRow, ExportRow, ProjectWithCounts, SegmentRow } from "@katari/database/statements";
import type { PauseSettings } from "@katari/core";
import { pauseAfter } from "../assembly/pauses.ts";
import { clipOf, isReady } from "../exports/assembly-plan.ts";
import type { PinnedRendering } from "../dispatch/task-message.ts";
import type { WorkerRegistry } from "../dispatch/worker-registry.ts";

/** Rows as the API tells them. */
export function projectSummary(row: ProjectWithCounts): ProjectSummary {
  return {
    id: row.id,
    title: row.title,
    authors: row.authors,
    language: row.language,
    fileName: row.file_name,
    sourceDigest: row.source_digest,
    createdAtMs: row.created_at,
    importState: row.import_state,
    ...(row.import_message === null ? {} : { importMessage: row.import_message }),
    ...(row.import_code === null ? {} : { importCode: row.import_code }),
    ...(row.import_cure === null ? {} : { importCure: row.import_cure }),
    hasCover: row.cover_key !== null,
    segments: row.segments,
    voicedSegments: row.voiced_segments,
    readySegments: row.ready_segments,
    characters: row.characters,
    audioMs: row.audio_ms,
  };
}

export function documentSummary(row: DocumentRow): DocumentSummary {
  return {
    id: row.id,
    index: row.ordinal + 1,
    title: row.title,
    characters: row.characters,
    segments: row.segments,
    voicedSegments: row.voiced_segments,
    readySegments: row.ready_segments,
    audioMs: row.audio_ms,
  };
}

export function conversionAnswer(row: ConversionRow, workers: WorkerRegistry): Conversion {
  const rendering = row.rendering as PinnedRendering;
  const live = (row.state === "planning" || row.state === "running") && row.remaining > 0;
  const sinceMs = live ? workers.withoutWorkerSinceMs(row.lane) : undefined;
  return {
    id: row.id,
    state: row.state,
    voice: rendering.voiceId,
    speed: rendering.speed,
    documents: row.document_ids,
    createdAtMs: row.created_at,
    tasks: row.tasks,
    remaining: row.remaining,
    failed: row.failed,
    ...(sinceMs === undefined ? {} : { waitingForWorkerSinceMs: sinceMs }),
  };
}

export function exportAnswer(row: ExportRow): Export {
  const file = row.file as ExportedFile | null;
  return {
    id: row.id,
    format: row.format as ExportFormat,
    state: row.state,
    createdAtMs: row.created_at,
    progress: row.progress,
    ...(row.code === null ? {} : { code: row.code }),
    ...(row.message === null ? {} : { message: row.message }),
    ...(row.cure === null ? {} : { cure: row.cure }),
    ...(row.file_name === null ? {} : { fileName: row.file_name }),
    ...(file === null
      ? {}
      : {
          sha256: file.sha256,
          sizeBytes: file.sizeBytes,
          lengthMs: Math.round((file.lengthSamples * 1_000) / file.sampleRate),
          loudnessLufs: file.loudnessLufs,
          truePeakDbtp: file.truePeakDbtp,
        }),
  };
}

export function segmentAnswer(row: SegmentRow, pauses: PauseSettings): Segment {
  const base = {
    id: row.id,
    blockId: row.block_id,
    blockKind: row.block_kind,
    text: row.text,
    ...(row.spoken === null ? {} : { spoken: row.spoken }),
  };
  if (isReady(row)) return { ...base, state: "ready", audioMs: audioMs(row, pauses) };
  if (row.voiced === false) return { ...base, state: "silent" };
  if (row.takes.length === 0) return { ...base, state: "unplanned" };
  const failure = row.takes.find((take) => take.failure !== null)?.failure ?? undefined;
  return failure === undefined ? { ...base, state: "waiting" } : { ...base, state: "failed", message: failure };
}

function audioMs(row: SegmentRow, pauses: PauseSettings): number {
  let ms = pauseAfter(row.boundary, false, pauses);
  for (const { audioKey, part, sampleRate } of row.takes) {
    if (audioKey === null || part === null || sampleRate === null) continue;
    const clip = clipOf(audioKey, part, sampleRate);
    ms += ((clip.endSamples - clip.startSamples) * 1_000) / sampleRate;
  }
  return Math.round(ms);
}

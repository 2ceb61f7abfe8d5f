import type {
  Completeness,
  Conversion,
  Export,
  ProjectDetail,
  ProjectSummary,
  Segment,
  StartConversion,
  StartExport,
  System,
  Voice,
} from "@katari/contracts";
import type { StoredEvent } from "@katari/core";

/** Whoever asks: owners see only their own projects; anything else is AppError `not-found`. */
export interface Caller {
  readonly ownerId: string;
}

/** Sound of one segment: raw takes of the object store with the sample ranges that are the segment's. */
export interface SegmentAudio {
  readonly sampleRate: number;
  readonly clips: readonly { readonly audioKey: string; readonly startSamples: number; readonly endSamples: number }[];
}

/**
 * What a person or program can ask of the application; HTTP is a thin door to it. Commands are idempotent where they
 * take an `idempotencyKey`. All throw AppError: `not-found` for ids that do not exist or are somebody else's,
 * `conflict` for what the state does not allow, `invalid-argument` for anything that cannot be meant.
 */
export interface Application {
  /** Stores the source (its bytes are streamed to the object store), makes the project and its import task. */
  createProject(
    caller: Caller,
    input: { fileName: string; body: AsyncIterable<Uint8Array>; maxBytes: number; signal?: AbortSignal },
  ): Promise<{ projectId: string }>;
  listProjects(caller: Caller): Promise<ProjectSummary[]>;
  getProject(caller: Caller, projectId: string): Promise<ProjectDetail>;
  deleteProject(caller: Caller, projectId: string): Promise<void>;
  getCover(caller: Caller, projectId: string): Promise<{ objectKey: string; mediaType: string }>;
  getCompleteness(caller: Caller, projectId: string, documents?: readonly string[]): Promise<Completeness>;
  /** Segments of a document in order, a page at a time; `after` is the id of the last one of the page before. */
  listSegments(
    caller: Caller,
    input: { projectId: string; documentId: string; after?: string; limit: number },
  ): Promise<{ segments: Segment[]; next?: string }>;
  getSegmentAudio(caller: Caller, projectId: string, segmentId: string): Promise<SegmentAudio>;
  /** Someone listens from here: about 50 following tasks go first. */
  listenFrom(caller: Caller, projectId: string, segmentId: string): Promise<void>;

  startConversion(
    caller: Caller,
    projectId: string,
    input: StartConversion & { idempotencyKey?: string },
  ): Promise<Conversion>;
  getConversion(caller: Caller, conversionId: string): Promise<Conversion>;
  pauseConversion(caller: Caller, conversionId: string): Promise<Conversion>;
  resumeConversion(caller: Caller, conversionId: string): Promise<Conversion>;
  cancelConversion(caller: Caller, conversionId: string): Promise<Conversion>;
  /** Failed tasks become pending again. */
  retryConversion(caller: Caller, conversionId: string): Promise<Conversion>;

  /** Refuses with `incomplete` (naming the first gaps) when a segment of the chosen documents has no sound. */
  startExport(caller: Caller, projectId: string, input: StartExport): Promise<Export>;
  getExport(caller: Caller, exportId: string): Promise<Export>;
  /** `not-found` until the export is ready. */
  getExportFile(
    caller: Caller,
    exportId: string,
  ): Promise<{ objectKey: string; fileName: string; sizeBytes: number; mediaType: string; sha256: string }>;

  listVoices(): Promise<Voice[]>;
  getSystem(): Promise<System>;

  /** Events of a project with ids above `after`, in order, at most `limit`. */
  eventsAfter(caller: Caller, projectId: string, after: number, limit: number): Promise<StoredEvent[]>;
  /** Calls back when a project has new events (without them: ask `eventsAfter`). Returns a function that ends it. */
  onEvents(projectId: string, listener: () => void): () => void;
}

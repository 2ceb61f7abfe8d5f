import { conversionStates, errorCodes, taskStates, workStates } from "@katari/core";
import { z } from "zod";
import { exportFormatSchema } from "./messages.ts";

/** Shapes of the HTTP API below `/api/v1`. Times are milliseconds since the epoch. */
const id = z.string();
const count = z.int().nonnegative();

/** RFC 9457 problem details; `code` is from the closed list, `cure` says what to do. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(errorCodes),
  cure: z.string().optional(),
});
export type Problem = z.infer<typeof problemSchema>;

export const documentSummarySchema = z.object({
  id,
  /** 1 for the first chapter. */
  index: z.int().positive(),
  title: z.string(),
  characters: count,
  segments: count,
  /** Segments that make sound, and those of them whose takes all exist. */
  voicedSegments: count,
  readySegments: count,
  audioMs: count,
});
export type DocumentSummary = z.infer<typeof documentSummarySchema>;

export const projectSummarySchema = z.object({
  id,
  title: z.string(),
  authors: z.array(z.string()),
  language: z.string(),
  fileName: z.string(),
  /** sha256 of the uploaded file. */
  sourceDigest: z.string(),
  createdAtMs: z.number(),
  importState: z.enum(workStates),
  importMessage: z.string().optional(),
  importCode: z.enum(errorCodes).optional(),
  importCure: z.string().optional(),
  hasCover: z.boolean(),
  segments: count,
  voicedSegments: count,
  readySegments: count,
  /** Characters of the source that are to be voiced. */
  characters: count.optional(),
  /** Length of the sound that is ready. */
  audioMs: count.optional(),
});
export type ProjectSummary = z.infer<typeof projectSummarySchema>;

export const conversionSchema = z.object({
  id,
  state: z.enum(conversionStates),
  voice: z.string(),
  speed: z.number(),
  /** Ids of the chosen documents, in order. */
  documents: z.array(id),
  createdAtMs: z.number(),
  tasks: count,
  remaining: count,
  failed: count,
  /** Set while nothing can run: since when no worker takes this conversion's lane. */
  waitingForWorkerSinceMs: z.number().optional(),
});
export type Conversion = z.infer<typeof conversionSchema>;

export const exportSchema = z.object({
  id,
  format: exportFormatSchema,
  state: z.enum(workStates),
  createdAtMs: z.number(),
  progress: z.number(),
  code: z.enum(errorCodes).optional(),
  message: z.string().optional(),
  cure: z.string().optional(),
  fileName: z.string().optional(),
  sha256: z.string().optional(),
  sizeBytes: count.optional(),
  lengthMs: count.optional(),
  loudnessLufs: z.number().optional(),
  truePeakDbtp: z.number().optional(),
});
export type Export = z.infer<typeof exportSchema>;

export const projectDetailSchema = projectSummarySchema.extend({
  documents: z.array(documentSummarySchema),
  /** Parts that were left out whole, by title; what was left out inside of chapters is summed up by rule with an empty title. */
  skipped: z.array(z.object({ title: z.string(), rule: z.string(), characters: count })),
  conversions: z.array(conversionSchema),
  exports: z.array(exportSchema),
  /** Id of the newest event that this answer contains: the event stream goes on from here. */
  lastEventId: count,
});
export type ProjectDetail = z.infer<typeof projectDetailSchema>;

export const segmentSchema = z.object({
  id,
  blockId: id,
  blockKind: z.string(),
  text: z.string(),
  spoken: z.string().optional(),
  state: z.enum(["unplanned", "silent", "waiting", "ready", "failed"]),
  message: z.string().optional(),
  /** Length of the sound with the pause after it; only when ready. */
  audioMs: count.optional(),
});
export type Segment = z.infer<typeof segmentSchema>;

/** Answer of `POST /projects`. */
export const createdProjectSchema = z.object({ projectId: id });
export type CreatedProject = z.infer<typeof createdProjectSchema>;

/** One page of a document's segments; `next` is the `after` of the following page, absent on the last one. */
export const segmentPageSchema = z.object({ segments: z.array(segmentSchema), next: id.optional() });
export type SegmentPage = z.infer<typeof segmentPageSchema>;

/** Query of `GET /projects/:id/documents/:documentId/segments`. */
export const segmentQuerySchema = z.object({
  after: id.regex(/^[A-Za-z0-9._:-]{1,128}$/, "is not an id").optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
});

/** Every character of the source: voiced, skipped (with the rule) or failed (with the reason). */
export const completenessSchema = z.object({
  characters: count,
  voiced: count,
  /** Segments that were not converted yet, or are waiting. */
  waiting: count,
  skipped: z.array(z.object({ rule: z.string(), title: z.string().optional(), characters: count })),
  failed: z.array(
    z.object({
      segmentId: id,
      text: z.string(),
      reason: z.string(),
      code: z.enum(errorCodes).optional(),
      cure: z.string().optional(),
      characters: count,
    }),
  ),
  files: z.array(z.object({ path: z.string(), characters: count })),
});
export type Completeness = z.infer<typeof completenessSchema>;

/** Strict: a wish that is misspelt must not be passed over. */
export const startConversionSchema = z.strictObject({
  voice: z.string().default("af_heart"),
  speed: z.number().min(0.5).max(2).default(1),
  /** Document ids; all when absent. */
  documents: z.array(id).min(1).optional(),
});
export type StartConversion = z.input<typeof startConversionSchema>;

export const startExportSchema = z.strictObject({
  format: exportFormatSchema.default("m4b"),
  documents: z.array(id).min(1).optional(),
});
export type StartExport = z.input<typeof startExportSchema>;

export const voiceSchema = z.object({
  id,
  title: z.string(),
  languages: z.array(z.string()),
  installed: z.boolean(),
  licence: z.string(),
});
export type Voice = z.infer<typeof voiceSchema>;

/** `GET /api/v1/system`: what runs and how it is doing; for `katari doctor` and the page. */
export const systemSchema = z.object({
  version: z.string(),
  adapters: z.record(z.string(), z.string()),
  workers: z.array(
    z.object({
      workerId: z.string(),
      ready: z.boolean(),
      reason: z.string().optional(),
      slots: z.record(z.string(), count),
    }),
  ),
  tasks: z.record(z.enum(taskStates), count),
});
export type System = z.infer<typeof systemSchema>;

const ratio = z.number().min(0).max(1);

/** What `core` calls a ProjectEvent, as it stands in the event stream. Readers ignore types that they do not know. */
export const projectEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("import"), state: z.enum(workStates), message: z.string().optional() }),
  z.object({
    type: z.literal("conversion"),
    conversionId: id,
    state: z.enum(conversionStates),
    message: z.string().optional(),
  }),
  z.object({
    type: z.literal("progress"),
    conversionId: id,
    documentId: id,
    readySegments: count,
    totalSegments: count,
    audioMs: count,
  }),
  z.object({ type: z.literal("task-failed"), conversionId: id, taskId: id, code: z.string(), message: z.string() }),
  z.object({
    type: z.literal("export"),
    exportId: id,
    state: z.enum(workStates),
    progress: ratio.optional(),
    message: z.string().optional(),
  }),
]);

/** `data` of one message of `GET /projects/:id/events`; its `id:` field is the same number. */
export const streamedEventSchema = z.object({ id: count, atMs: z.number(), event: projectEventSchema });
export type StreamedEvent = z.infer<typeof streamedEventSchema>;

/** `data` of the message `event: reset`: the reader is too far behind and fetches the project anew. */
export const streamResetSchema = z.object({ lastEventId: count });

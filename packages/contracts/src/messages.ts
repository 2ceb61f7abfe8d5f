import { boundaryKinds, errorCodes } from "@katari/core";
import { z } from "zod";

/**
 * What travels over the bus. JSON, versioned by `v`, at most 16 KB, validated at both ends. Schemas grow by optional
 * fields and ignore unknown ones. Anything large is an object in the store and the message holds its key.
 */
export const maxMessageBytes = 16_384;

const count = z.int().nonnegative();
const id = z.string().min(1).max(128);
const objectKey = z.string().min(1).max(512);
const range = z.tuple([count, count]);

/** Ranges of one segment (or a piece of one) and of its words, in symbols of the utterance's phonemes. */
export const voicePartSchema = z.object({ start: count, end: count, words: z.array(range) });
export type VoicePart = z.infer<typeof voicePartSchema>;

/** What pins the sound of a take: the worker recomputes the take key from this and from what it really runs. */
export const renderingSchema = z.object({
  /** `<id>@<digest>`: the object `voices/<ref>/voice.json` is the manifest. */
  voiceRef: z.string().min(1),
  family: z.string(),
  familyRevision: z.int().positive(),
  modelSourceDigest: z.string(),
  modelName: z.string(),
  modelVersion: z.string(),
  voiceId: z.string(),
  voiceDigest: z.string(),
  parameters: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
  speed: z.number().positive(),
  variant: count,
});
export type Rendering = z.infer<typeof renderingSchema>;

const taskBase = {
  v: z.literal(1),
  taskId: id,
  attempt: z.int().positive(),
  projectId: id,
  /** Time that the work may take from its start, in milliseconds. */
  timeoutMs: z.int().positive(),
};

export const speechTaskSchema = z.object({
  ...taskBase,
  kind: z.literal("speech"),
  conversionId: id,
  takeKey: z.string(),
  rendering: renderingSchema,
  phonemes: z.string().min(1),
  parts: z.array(voicePartSchema).min(1),
  interactive: z.boolean(),
});
export type SpeechTask = z.infer<typeof speechTaskSchema>;

export const importTaskSchema = z.object({
  ...taskBase,
  kind: z.literal("import"),
  sourceKey: objectKey,
  sourceDigest: z.string(),
  fileName: z.string(),
  importRevision: z.int().positive(),
});
export type ImportTask = z.infer<typeof importTaskSchema>;

export const exportFormats = ["m4b", "mp3", "flac", "wav"] as const;
export const exportFormatSchema = z.enum(exportFormats);
export type ExportFormat = z.infer<typeof exportFormatSchema>;

export const loudnessSchema = z.object({
  targetLufs: z.number().min(-40).max(-8),
  ceilingDbtp: z.number().min(-20).max(0),
});

export const exportTaskSchema = z.object({
  ...taskBase,
  kind: z.literal("export"),
  exportId: id,
  /** Object key of an AssemblyPlan. */
  planKey: objectKey,
  format: exportFormatSchema,
  loudness: loudnessSchema,
});
export type ExportTask = z.infer<typeof exportTaskSchema>;

/** A message of a newer version fails this; the worker answers `retry` and becomes unready. */
export const taskMessageSchema = z.discriminatedUnion("kind", [speechTaskSchema, importTaskSchema, exportTaskSchema]);
export type TaskMessage = z.infer<typeof taskMessageSchema>;

export const takeSchema = z.object({
  key: z.string(),
  audioKey: objectKey,
  sampleRate: z.int().positive(),
  lengthSamples: count,
  parts: z.array(
    z.object({
      startSamples: count,
      endSamples: count,
      soundStartSamples: count,
      soundEndSamples: count,
      words: z.array(range),
    }),
  ),
  checks: z.object({ peak: z.number(), levelDb: z.number(), suspicions: z.array(z.string()) }),
});

export const exportedFileSchema = z.object({
  objectKey,
  sha256: z.string(),
  sizeBytes: count,
  sampleRate: z.int().positive(),
  lengthSamples: count,
  loudnessLufs: z.number(),
  truePeakDbtp: z.number(),
  gainDb: z.number(),
  /** Object key of the Timeline as JSON. */
  timelineKey: objectKey,
});
export type ExportedFile = z.infer<typeof exportedFileSchema>;

export const outcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("started") }),
  z.object({ kind: z.literal("progress"), ratio: z.number().min(0).max(1) }),
  z.object({
    kind: z.literal("succeeded"),
    result: z.discriminatedUnion("kind", [
      /** `rendered` is false when the take was found in the store. */
      z.object({ kind: z.literal("speech"), take: takeSchema, rendered: z.boolean() }),
      z.object({ kind: z.literal("import"), indexKey: objectKey }),
      z.object({ kind: z.literal("export"), file: exportedFileSchema }),
    ]),
  }),
  z.object({ kind: z.literal("retry"), afterMs: count, code: z.enum(errorCodes), reason: z.string() }),
  z.object({ kind: z.literal("failed"), code: z.enum(errorCodes), message: z.string(), cure: z.string().optional() }),
  z.object({ kind: z.literal("cancelled") }),
]);
export type Outcome = z.infer<typeof outcomeSchema>;

/** A worker's answer. `atMs` is the worker's clock, for people only. */
export const resultMessageSchema = z.object({
  v: z.literal(1),
  taskId: id,
  attempt: z.int().positive(),
  workerId: z.string(),
  atMs: z.number(),
  outcome: outcomeSchema,
});
export type ResultMessage = z.infer<typeof resultMessageSchema>;

/** Said by every worker every 10 seconds on the topic `announcements`: what it can take. */
export const announcementSchema = z.object({
  v: z.literal(1),
  workerId: z.string(),
  /** Slots by queue name. */
  slots: z.record(z.string(), count),
  ready: z.boolean(),
  reason: z.string().optional(),
});
export type Announcement = z.infer<typeof announcementSchema>;

/** Said by the server on the topic `control`, at most once. Workers skip or abort what it names, answering `cancelled`. */
export const controlSchema = z.discriminatedUnion("kind", [
  z.object({ v: z.literal(1), kind: z.literal("cancel-conversion"), conversionId: id }),
  z.object({ v: z.literal(1), kind: z.literal("pause-conversion"), conversionId: id }),
  z.object({ v: z.literal(1), kind: z.literal("resume-conversion"), conversionId: id }),
  z.object({ v: z.literal(1), kind: z.literal("cancel-task"), taskId: id }),
]);
export type Control = z.infer<typeof controlSchema>;

const boundarySchema = z.object({ kind: z.enum(boundaryKinds), pauseMs: z.number().optional() });
const sourceRangeSchema = z.object({ file: z.string(), start: count, end: count });
const anchorSchema = z.object({ file: z.string(), elementId: z.string().optional() });

/** Object `imports/<task>/index.json`: what the import found; chapters are objects of their own. */
export const importIndexSchema = z.object({
  v: z.literal(1),
  format: z.enum(["epub", "markdown", "text"]),
  metadata: z.object({
    title: z.string(),
    authors: z.array(z.string()),
    language: z.string(),
    identifier: z.string().optional(),
    publisher: z.string().optional(),
    published: z.string().optional(),
    description: z.string().optional(),
    rights: z.string().optional(),
  }),
  encoding: z.string().optional(),
  cover: z.object({ objectKey, mediaType: z.enum(["image/jpeg", "image/png"]) }).optional(),
  files: z.array(z.object({ path: z.string(), characters: count })),
  documents: z.array(
    z.object({
      id,
      title: z.string(),
      objectKey,
      characters: count,
      segments: count,
      anchor: anchorSchema,
      language: z.string(),
    }),
  ),
  skipped: z.array(
    z.object({ rule: z.string(), title: z.string().optional(), range: sourceRangeSchema, characters: count }),
  ),
});
export type ImportIndex = z.infer<typeof importIndexSchema>;

/** Object of one chapter: its blocks with their segments, in order. */
export const importedDocumentSchema = z.object({
  v: z.literal(1),
  id,
  blocks: z.array(
    z.object({
      id,
      kind: z.string(),
      level: z.number().optional(),
      language: z.string(),
      text: z.string(),
      spans: z.array(z.object({ kind: z.string(), start: count, end: count, value: z.string().optional() })),
      range: sourceRangeSchema,
      anchor: anchorSchema,
      segments: z.array(
        z.object({ id, start: count, end: count, text: z.string(), boundary: boundarySchema, characters: count }),
      ),
      /** Ranges of the block's text that make no segment, with the rule. */
      skipped: z.array(z.object({ rule: z.string(), start: count, end: count, characters: count })),
    }),
  ),
});
export type ImportedDocument = z.infer<typeof importedDocumentSchema>;

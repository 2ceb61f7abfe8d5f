/**
 * Words, one meaning each.
 *
 * - Source: the uploaded file. Project: one source being voiced for one owner, with its settings.
 * - Document: a chapter, in reading order. Block: a paragraph, heading, list item, verse line, scene break …
 * - Segment: one sentence, or one speaker's part of it: the smallest thing that is edited, re-recorded, timed.
 * - Utterance: what one inference speaks: one segment, part of a long one, or several short neighbours.
 * - Boundary: what follows a segment; the pause comes from it, at assembly.
 * - Spoken form: what the voice is to say for a segment, derived by named rules.
 * - Conversion: one run over chosen segments with fixed settings and pinned model versions; it owns tasks.
 * - Task: one unit of work on a queue: `speech` (one utterance), `import` (one source), `export` (one output).
 * - Lane: the queue that a speech task takes. Take: one immutable rendering of an utterance, found by its take key.
 * - Voice: a manifest. Voice family: the code that turns a voice input into tensors and outputs into audio and timings.
 * - Timeline: integer sample positions of every segment and word of the finished programme.
 */
export {
  blockKinds,
  countCharacters,
  inlineSpanKinds,
  type BlockKind,
  type CoverImage,
  type InlineSpan,
  type InlineSpanKind,
  type SkippedText,
  type SourceAnchor,
  type SourceBlock,
  type SourceDocument,
  type SourceFile,
  type SourceMetadata,
  type SourceRange,
  type SourceTree,
} from "./document.ts";
export {
  boundaryKinds,
  phonemeSources,
  type Boundary,
  type BoundaryKind,
  type PhonemeSource,
  type Rewrite,
  type SegmentText,
  type SpokenForm,
  type SpokenWord,
  type Utterance,
  type UtterancePart,
} from "./spoken.ts";
export { canonicalJson, takeKey, type Take, type TakeChecks, type TakeKeyInput, type TakePart } from "./take.ts";
export { AppError, assertNever, errorCodes, type AppErrorOptions, type ErrorCode } from "./errors.ts";
export { fileNameOf } from "./file-name.ts";
export { manualClock, systemClock, type Clock } from "./clock.ts";
export {
  asId,
  type BlockId,
  type ConversionId,
  type DocumentId,
  type ExportId,
  type ProjectId,
  type SegmentId,
  type SourceId,
  type TaskId,
} from "./ids.ts";
export {
  canBecome,
  conversionStates,
  conversionTransitions,
  isEndedConversion,
  isLiveTask,
  taskStates,
  taskTransitions,
  workStates,
  type ConversionState,
  type TaskState,
  type WorkState,
} from "./states.ts";
export {
  decideResult,
  resultKinds,
  type CollectorDecision,
  type CollectorEffect,
  type ResultKind,
  type TaskFacts,
} from "./collector-rules.ts";
export {
  defaultPauses,
  type AssemblyPlan,
  type Clip,
  type PauseSettings,
  type PlannedDocument,
  type PlannedSegment,
  type ProgrammeTags,
  type Timeline,
  type TimelineDocument,
  type TimelineSegment,
} from "./timeline.ts";
export type { ProjectEvent, StoredEvent } from "./events.ts";

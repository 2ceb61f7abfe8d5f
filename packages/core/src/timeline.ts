import type { BoundaryKind } from "./spoken.ts";

/** Length of the pause after each kind of boundary, in milliseconds. `none` and `explicit` are not settings. */
export type PauseSettings = Readonly<Record<Exclude<BoundaryKind, "none" | "explicit">, number>>;

/** Gaps measured in published audiobooks lie around these; a project may change them. */
export const defaultPauses: PauseSettings = {
  clause: 180,
  dash: 260,
  ellipsis: 450,
  sentence: 420,
  "quotation-turn": 420,
  paragraph: 750,
  heading: 1_200,
  "scene-break": 1_800,
  chapter: 2_500,
};

/** A stretch of one take as it will be heard. Positions are samples of the take. */
export interface Clip {
  /** Object key of the take's WAV. */
  readonly audioKey: string;
  readonly startSamples: number;
  readonly endSamples: number;
}

/** One segment of the plan: its clips (more than one when a long sentence was spoken in parts) and the pause after. */
export interface PlannedSegment {
  readonly segmentId: string;
  readonly clips: readonly Clip[];
  /** Words of the segment as samples of the take of clip `clip`. */
  readonly words: readonly { readonly clip: number; readonly startSamples: number; readonly endSamples: number }[];
  readonly pauseMs: number;
}

export interface PlannedDocument {
  readonly documentId: string;
  readonly title: string;
  readonly segments: readonly PlannedSegment[];
}

/** What an export is made from: written once from one project revision, stored as an object. */
export interface AssemblyPlan {
  readonly v: 1;
  readonly sampleRate: number;
  readonly leadInMs: number;
  readonly leadOutMs: number;
  readonly documents: readonly PlannedDocument[];
  readonly tags: ProgrammeTags;
  /** Object key of the cover image, where there is one. */
  readonly cover?: { readonly objectKey: string; readonly mediaType: "image/jpeg" | "image/png" };
}

export interface ProgrammeTags {
  readonly title: string;
  readonly authors: readonly string[];
  readonly narrator: string;
  readonly language: string;
  readonly published?: string;
  readonly publisher?: string;
  readonly description?: string;
  readonly copyright?: string;
  /** Attribution that the voice's licence wants, and the program's name. */
  readonly comment?: string;
}

/** Integer sample positions in the finished programme. */
export interface TimelineSegment {
  readonly segmentId: string;
  readonly startSamples: number;
  readonly endSamples: number;
  readonly words: readonly (readonly [number, number])[];
}

export interface TimelineDocument {
  readonly documentId: string;
  readonly title: string;
  readonly startSamples: number;
  readonly endSamples: number;
  readonly segments: readonly TimelineSegment[];
}

export interface Timeline {
  readonly sampleRate: number;
  readonly lengthSamples: number;
  readonly documents: readonly TimelineDocument[];
}

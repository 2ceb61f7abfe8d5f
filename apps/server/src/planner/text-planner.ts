import type { BlockKind, Boundary, InlineSpan, SpokenForm } from "@katari/core";

/** What the text work must know of a voice. Plain data: it travels to another thread. */
export interface PlannedVoice {
  /** Changes when any of the rest does. */
  readonly key: string;
  readonly vocabulary: Readonly<Record<string, number>>;
  readonly maxTokens: number;
  /** Absolute paths by language tag, then by role. */
  readonly pronunciation: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface SegmentToSpeak {
  readonly id: string;
  /** Segments of one block are neighbours and share this. */
  readonly blockId: string;
  readonly blockKind: BlockKind;
  readonly language: string;
  readonly text: string;
  /** Ranges of the segment's own text. */
  readonly spans: readonly InlineSpan[];
  readonly boundary: Boundary;
}

export interface UtteranceToRender {
  readonly phonemes: string;
  readonly parts: readonly {
    readonly segmentId: string;
    readonly start: number;
    readonly end: number;
    readonly words: readonly (readonly [number, number])[];
  }[];
}

export interface TextPlan {
  /** One for each segment, in the same order. */
  readonly forms: readonly SpokenForm[];
  /** In reading order; a segment without words is in none, a long one in several. */
  readonly utterances: readonly UtteranceToRender[];
}

/**
 * The text stage as the planner uses it, away from the event loop. Deterministic: the same request always gives the
 * same plan. Throws AppError: what the text stage throws, `unavailable` (retryable) when its thread ended.
 */
export interface TextPlanner {
  plan(
    request: { readonly voice: PlannedVoice; readonly segments: readonly SegmentToSpeak[] },
    signal?: AbortSignal,
  ): Promise<TextPlan>;
  close(): Promise<void>;
}

import { takeKey, type InlineSpan, type SpokenForm } from "@katari/core";
import type { NewSpeechTask, NewSpokenForm, NewWantedTake, SegmentToPlan } from "@katari/database/statements";
import type { BlockKind } from "@katari/core";
import type { PinnedRendering, SpeechPayload } from "../dispatch/task-message.ts";
import type { SegmentToSpeak, TextPlan } from "./text-planner.ts";

/** Most segments of a page: its text work takes some tens of milliseconds, its transaction less. */
export const segmentsPerPage = 100;

/**
 * The next page out of the segments that were read (one more than a page): whole blocks, so that neighbours can be
 * spoken together; a block that is longer than a page is cut.
 */
export function nextPage(rows: readonly SegmentToPlan[]): readonly SegmentToPlan[] {
  if (rows.length <= segmentsPerPage) return rows;
  const page = rows.slice(0, segmentsPerPage);
  const overflow = rows[segmentsPerPage]?.block_id;
  const whole = page.findIndex((row) => row.block_id === overflow);
  return whole > 0 ? page.slice(0, whole) : page;
}

export function segmentToSpeak(row: SegmentToPlan): SegmentToSpeak {
  return {
    id: row.id,
    blockId: row.block_id,
    blockKind: row.block_kind as BlockKind,
    language: row.block_language,
    text: row.text,
    spans: spansInside(row.block_spans as readonly InlineSpan[], row.range_start, row.range_end),
    boundary: row.boundary,
  };
}

/** Spans of a block as they lie in a range of it, counted from the range's start. */
export function spansInside(spans: readonly InlineSpan[], start: number, end: number): readonly InlineSpan[] {
  return spans
    .filter((span) => span.start < end && span.end > start)
    .map((span) => ({ ...span, start: Math.max(span.start, start) - start, end: Math.min(span.end, end) - start }));
}

export interface PageRows {
  readonly forms: readonly NewSpokenForm[];
  readonly wanted: readonly NewWantedTake[];
  readonly tasks: readonly NewSpeechTask[];
}

/** What a planned page writes: forms, wanted takes, and a task for each different take. */
export function pageRows(input: {
  readonly segments: readonly SegmentToPlan[];
  readonly plan: TextPlan;
  readonly rendering: PinnedRendering;
  readonly firstOrdinal: number;
  readonly sha256: (text: string) => string;
  readonly newId: () => string;
}): PageRows {
  const { segments, plan, rendering, sha256 } = input;
  const { family, familyRevision, modelSourceDigest, voiceId, voiceDigest, parameters, speed } = rendering;
  const wanted: NewWantedTake[] = [];
  const pieces = new Map<string, number>();
  const tasks = plan.utterances.map(({ phonemes, parts }, index): NewSpeechTask => {
    const key = takeKey(
      {
        family,
        familyRevision,
        modelSourceDigest,
        voiceId,
        voiceDigest,
        parameters,
        speed,
        voiceInput: { phonemes },
        variant: 0,
      },
      sha256,
    );
    for (const [take_part, { segmentId }] of parts.entries()) {
      const ordinal = pieces.get(segmentId) ?? 0;
      pieces.set(segmentId, ordinal + 1);
      wanted.push({ segment_id: segmentId, ordinal, take_key: key, take_part });
    }
    const payload: SpeechPayload = {
      phonemes,
      parts: parts.map(({ start, end, words }) => ({ start, end, words: words.map(([from, to]) => [from, to]) })),
    };
    return { id: input.newId(), ordinal: input.firstOrdinal + index, take_key: key, payload };
  });
  const forms = segments.flatMap((segment, index): NewSpokenForm[] => {
    const form: SpokenForm | undefined = plan.forms[index];
    return form === undefined
      ? []
      : [{ segment_id: segment.id, revision: form.revision, form, voiced: form.words.length > 0 }];
  });
  return { forms, wanted, tasks };
}

/** What the text stage derives from a block, and what the later stages may rely on. */

/** What follows a segment: the pause is taken from it at assembly. In order from the shortest to the longest. */
export const boundaryKinds = [
  "none",
  "clause",
  "dash",
  "ellipsis",
  "sentence",
  "quotation-turn",
  "paragraph",
  "heading",
  "scene-break",
  "chapter",
  "explicit",
] as const;
export type BoundaryKind = (typeof boundaryKinds)[number];

export interface Boundary {
  readonly kind: BoundaryKind;
  /** Length of an `explicit` pause. */
  readonly pauseMs?: number;
}

/** One rewriting of display text into spoken words. Offsets are UTF-16 units into the segment's text. */
export interface Rewrite {
  readonly rule: string;
  readonly start: number;
  readonly end: number;
  readonly display: string;
  readonly spoken: string;
}

/** Where a word's phonemes come from. */
export const phonemeSources = ["lexicon", "dictionary", "ruby", "rule", "guess", "spelled"] as const;
export type PhonemeSource = (typeof phonemeSources)[number];

/**
 * One display word (or a group of them that one rule rewrote) with what is said for it.
 * `start`/`end`: UTF-16 units into the segment's text. `phonemes` are the voice alphabet's symbols without outer spaces;
 * `before` / `after` hold punctuation symbols that stand directly at the word (kept out of the word's timing).
 */
export interface SpokenWord {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly spoken: string;
  readonly reading?: string;
  readonly partOfSpeech?: string;
  readonly phonemes: string;
  readonly before: string;
  readonly after: string;
  readonly source: PhonemeSource;
  readonly uncertain: boolean;
}

/** The spoken form of one segment. A segment with no words is only a pause and makes no task. */
export interface SpokenForm {
  readonly language: string;
  readonly spoken: string;
  readonly rewrites: readonly Rewrite[];
  readonly words: readonly SpokenWord[];
  /** Version of the rules and dictionaries that made it. */
  readonly revision: string;
}

/** A sentence or one speaker's part of it, as a range of its block's text. */
export interface SegmentText {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly boundary: Boundary;
}

/**
 * A part of an utterance: words `fromWord` (inclusive) to `toWord` (exclusive) of one segment. `phonemes` of the
 * utterance hold them from `start` to `end`; each word's own symbols stand at `words[i] = [start, end)`.
 * Offsets are in symbols (Unicode code points) of the utterance's phonemes.
 */
export interface UtterancePart {
  readonly segment: number;
  readonly fromWord: number;
  readonly toWord: number;
  readonly start: number;
  readonly end: number;
  readonly words: readonly (readonly [number, number])[];
}

/** What one inference speaks. `parts[i].segment` is the index of the segment in the list that was grouped. */
export interface Utterance {
  readonly phonemes: string;
  readonly parts: readonly UtterancePart[];
}

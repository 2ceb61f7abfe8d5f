import type { BoundaryKind, SegmentText, SourceBlock } from "@katari/core";
import { referenceMarkSource } from "./reference-marks.ts";
import { sentenceEnds } from "./sentence-ends.ts";

/** Characters of a block that are not voiced. Offsets are UTF-16 units of the block's text. */
export interface SkippedRange {
  readonly rule: string;
  readonly start: number;
  readonly end: number;
}

/** A block, cut. See {@link segmentBlock}. */
export interface Segmentation {
  readonly segments: SegmentText[];
  readonly skipped: SkippedRange[];
}

const referenceMark = new RegExp(referenceMarkSource, "gu");
/** Something that can be said: letters, numbers, and signs other than ornaments and rules. */
const speakable = /[\p{L}\p{N}\p{Sc}%&@§©®™°\p{Emoji_Presentation}]/u;

interface Piece {
  start: number;
  end: number;
  ellipsis: boolean;
}

/** Moves the edges of a range inward over white space. */
function trim(text: string, start: number, end: number): [number, number] {
  while (start < end && /\s/u.test(text[start] ?? "")) start++;
  while (end > start && /\s/u.test(text[end - 1] ?? "")) end--;
  return [start, end];
}

function cut(text: string, language: string, marks: readonly SkippedRange[]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let mark = 0;
  const push = (endAt: number, ellipsis: boolean): void => {
    let [start, end] = trim(text, from, endAt);
    from = endAt;
    // Marks at the edges stay outside of the segment.
    for (let next = marks[mark]; next && next.end <= endAt; next = marks[++mark]) {
      if (next.start === start) [start, end] = trim(text, next.end, end);
    }
    for (let back = mark - 1, last = marks[back]; last && last.end === end && last.start >= start; last = marks[--back])
      [start, end] = trim(text, start, last.start);
    if (start >= end) return;
    const previous = pieces.at(-1);
    // A piece that says nothing belongs to what it follows.
    if (previous && !speakable.test(text.slice(start, end))) previous.end = end;
    else if (previous && !speakable.test(text.slice(previous.start, previous.end))) {
      previous.end = end;
      previous.ellipsis = ellipsis;
    } else pieces.push({ start, end, ellipsis });
  };
  for (const found of sentenceEnds(text, language)) push(found.end, found.ellipsis);
  push(text.length, false);
  return pieces;
}

const opensSpeech = /^[\u2060*_([]*["“‘«「『]/u;
const closesSpeech = /["”’»」』][)\]*_\u2060]*$/u;

function boundaryBetween(text: string, piece: Piece, next: Piece): BoundaryKind {
  const said = text.slice(Math.max(piece.start, piece.end - 8), piece.end);
  const following = text.slice(next.start, next.start + 8);
  if (closesSpeech.test(said) || opensSpeech.test(following)) return "quotation-turn";
  if (piece.ellipsis) return "ellipsis";
  if (/[—―–-]\s*$/u.test(said)) return "dash";
  return "sentence";
}

function lastBoundary(kind: SourceBlock["kind"]): BoundaryKind {
  if (kind === "heading") return "heading";
  return kind === "scene-break" ? "scene-break" : "paragraph";
}

/**
 * Cuts a block into segments: a sentence each. Every character that is not white space is in exactly one segment or
 * one skip, where a skip that lies inside a segment's range (a reference mark in mid-sentence) takes its characters
 * out of that segment. A segment's `text` is the block's text over its range, marks included; the speaker says
 * nothing for them. Rules of skips: `reference-mark` (`[15]`), `pause-only` (a block without anything to say, such as
 * `***` or `……`: it is heard as a pause and makes no segment). Time is linear in the block.
 */
export function segmentBlock(block: Pick<SourceBlock, "kind" | "text" | "spans">, language: string): Segmentation {
  const { text } = block;
  const skipped: SkippedRange[] = [];
  for (const match of text.matchAll(referenceMark))
    skipped.push({ rule: "reference-mark", start: match.index, end: match.index + match[0].length });
  const pieces = cut(text, language, skipped);
  const only = pieces[0];
  if (!only) return { segments: [], skipped };
  if (pieces.length === 1 && !speakable.test(withoutMarks(text, only, skipped))) {
    const outside = skipped.filter((mark) => mark.end <= only.start || mark.start >= only.end);
    return {
      segments: [],
      skipped: [...outside, { rule: "pause-only", start: only.start, end: only.end }].sort((a, b) => a.start - b.start),
    };
  }
  const segments = pieces.map((piece, index): SegmentText => {
    const next = pieces[index + 1];
    const kind = next ? boundaryBetween(text, piece, next) : lastBoundary(block.kind);
    return { start: piece.start, end: piece.end, text: text.slice(piece.start, piece.end), boundary: { kind } };
  });
  return { segments, skipped };
}

function withoutMarks(text: string, piece: Piece, marks: readonly SkippedRange[]): string {
  if (marks.length === 0) return text;
  let rest = "";
  let from = piece.start;
  for (const mark of marks) {
    if (mark.start < from || mark.end > piece.end) continue;
    rest += text.slice(from, mark.start);
    from = mark.end;
  }
  return rest + text.slice(from, piece.end);
}

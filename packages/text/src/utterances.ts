import {
  AppError,
  type Boundary,
  type SpokenForm,
  type SpokenWord,
  type Utterance,
  type UtterancePart,
} from "@katari/core";

/** One segment to be grouped: its block (any number that differs between blocks), what is said, what follows. */
export interface SpokenSegment {
  readonly block: number;
  readonly spoken: SpokenForm;
  readonly boundary: Boundary;
}

/** Lengths in symbols of the voice's alphabet: the range to aim at, and what the voice takes at most. */
export interface UtteranceLimits {
  readonly targetTokens: readonly [number, number];
  readonly maxTokens: number;
}

/** Above this a voice rushes; no utterance is longer even where the model would take it. */
const longestUtterance = 250;
/** Below this a voice is not sure of itself, and the utterance joins a neighbour. */
const tinyUtterance = 8;

interface Piece {
  readonly segment: number;
  readonly fromWord: number;
  readonly toWord: number;
  readonly size: number;
}

const symbols = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};
const written = (word: SpokenWord): string => word.before + word.phonemes + word.after;

const conjunctions = new Set(
  "and or but nor so yet for if that which who whom whose when where while because although though as than until unless since whether".split(
    " ",
  ),
);
const prepositions = new Set(
  "of in on at by with from into onto upon about over under through between among against during without within toward towards across behind beyond like after before".split(
    " ",
  ),
);
/** Words that lean on the next one: no cut after them. */
const leaning = new Set(
  "a an the this these those my your his her its our their no every each some any to not very mr mrs i he she it we they you is are was were be been has have had will would can could shall should may might must do does did".split(
    " ",
  ),
);

/** How good a place it is to cut before `next`: 0 is never. Clause edges first, then phrase edges, then any word. */
function edgeQuality(word: SpokenWord, next: SpokenWord): number {
  const said = word.spoken.toLowerCase();
  const following = next.spoken.toLowerCase();
  if (/[.!?…]/.test(word.after)) return 10;
  if (/[;:—)”]/.test(word.after) || /[(“—]/.test(next.before)) return 8;
  if (word.after.includes(",")) return conjunctions.has(following) ? 7 : 6;
  if (conjunctions.has(said) || prepositions.has(said) || leaning.has(said)) return 0.05;
  if (conjunctions.has(following)) return 4;
  if (prepositions.has(following)) return 2;
  return 0.5;
}

/** Cuts one segment into the fewest parts that fit, of even length, at the best edges near the even places. */
function cut(segment: number, words: readonly SpokenWord[], max: number, aim: number): Piece[] {
  const sizes = words.map((word) => symbols(written(word)));
  const sizeOf = (from: number, to: number): number => {
    let size = Math.max(0, to - from - 1);
    for (let i = from; i < to; i++) size += sizes[i] ?? 0;
    return size;
  };
  const pieces: Piece[] = [];
  let from = 0;
  let rest = sizeOf(0, words.length);
  while (rest > max) {
    const wanted = rest / Math.ceil(rest / Math.min(max, aim));
    let best = -1;
    let bestScore = Number.NEGATIVE_INFINITY;
    let size = 0;
    for (let i = from; i < words.length - 1; i++) {
      size += (sizes[i] ?? 0) + (i > from ? 1 : 0);
      if (size > max) break;
      const word = words[i];
      const next = words[i + 1];
      if (!word || !next) break;
      const distance = (size - wanted) / wanted;
      const score = edgeQuality(word, next) * Math.exp(-3 * distance * distance);
      if (score >= bestScore) {
        bestScore = score;
        best = i + 1;
      }
    }
    if (best < 0) {
      const word = words[from];
      throw new AppError("too-large", `"${(word?.text ?? "").slice(0, 40)}" is too long for the voice.`, {
        cure: "Write the word with spaces, or give it a shorter pronunciation.",
      });
    }
    const done = sizeOf(from, best);
    pieces.push({ segment, fromWord: from, toWord: best, size: done });
    rest -= done + 1;
    from = best;
  }
  if (rest > 0) pieces.push({ segment, fromWord: from, toWord: words.length, size: rest });
  return pieces;
}

function build(pieces: readonly Piece[], segments: readonly SpokenSegment[]): Utterance {
  let phonemes = "";
  let at = 0;
  const parts = pieces.map((piece): UtterancePart => {
    if (at > 0) {
      phonemes += " ";
      at++;
    }
    const start = at;
    const ranges: (readonly [number, number])[] = [];
    const words = segments[piece.segment]?.spoken.words.slice(piece.fromWord, piece.toWord) ?? [];
    words.forEach((word, index) => {
      if (index > 0) {
        phonemes += " ";
        at++;
      }
      phonemes += written(word);
      const from = at + symbols(word.before);
      ranges.push([from, from + symbols(word.phonemes)]);
      at = from + symbols(word.phonemes) + symbols(word.after);
    });
    return { segment: piece.segment, fromWord: piece.fromWord, toWord: piece.toWord, start, end: at, words: ranges };
  });
  return { phonemes, parts };
}

/**
 * Groups segments into what one inference speaks each: short neighbours of one block and language together, a long
 * segment in parts. Lengths count symbols after expansion, spaces included. Segments without words make nothing. An
 * utterance under eight symbols joins a neighbour of its block where there is one. Throws `too-large` for a single
 * word that the voice cannot take.
 */
export function groupUtterances(segments: readonly SpokenSegment[], limits: UtteranceLimits): Utterance[] {
  const max = Math.min(longestUtterance, limits.maxTokens);
  const [low, high] = [Math.min(limits.targetTokens[0], max), Math.min(limits.targetTokens[1], max)];
  const groups: Piece[][] = [];
  let size = 0;
  const sizeOf = (group: readonly Piece[]): number => group.reduce((sum, piece) => sum + piece.size, group.length - 1);

  segments.forEach(({ block, spoken }, index) => {
    if (spoken.words.length === 0) return;
    for (const piece of cut(index, spoken.words, max, high)) {
      const group = groups.at(-1);
      const last = group?.at(-1);
      const previous = last ? segments[last.segment] : undefined;
      const near = previous?.block === block && previous.spoken.language === spoken.language;
      // Parts of one long segment stay apart: they were cut to be.
      const own = last?.segment === index;
      const together = size + 1 + piece.size;
      const short = (size < low || piece.size < low) && together <= high;
      const tiny = (size < tinyUtterance || piece.size < tinyUtterance) && together <= max;
      if (group && near && ((short && !own) || tiny)) {
        group.push(piece);
        size = together;
      } else {
        groups.push([piece]);
        size = piece.size;
      }
    }
  });

  // What is still tiny stands beside one that is full: the full one gives its last part away.
  for (let i = 1; i < groups.length; i++) {
    const group = groups[i] ?? [];
    const full = groups[i - 1];
    const last = full?.at(-1);
    const first = group[0];
    if (!full || !last || !first || sizeOf(group) >= tinyUtterance) continue;
    const [a, b] = [segments[last.segment], segments[first.segment]];
    if (!a || !b || a.block !== b.block || a.spoken.language !== b.spoken.language) continue;
    if (last.toWord - last.fromWord < 2) continue;
    const words = a.spoken.words.slice(last.fromWord, last.toWord);
    // A word longer than that stays where it is: nothing here is too long for the voice.
    const longest = words.reduce((most, word) => Math.max(most, symbols(written(word))), 0);
    const halves = cut(last.segment, words, Math.max(longest, Math.ceil(last.size * 0.7)), last.size / 2).map(
      (piece) => ({ ...piece, fromWord: piece.fromWord + last.fromWord, toWord: piece.toWord + last.fromWord }),
    );
    const moved = halves.at(-1);
    if (!moved || halves.length < 2 || moved.size + 1 + sizeOf(group) > max) continue;
    full.splice(-1, 1, ...halves.slice(0, -1));
    group.unshift(moved);
  }
  return groups.map((group) => build(group, segments));
}

import { AppError, type Rewrite, type SourceBlock, type SourceTree, type SpokenWord } from "@katari/core";
import { detectLanguage } from "./language.ts";
import { segmentBlock } from "./segmentation/segment-block.ts";
import { spansWithin } from "./segmentation/spans-within.ts";
import type { Speaker } from "./speaker.ts";
import { groupUtterances, type SpokenSegment, type UtteranceLimits } from "./utterances.ts";

/** A word as the inspection shows it. Offsets are UTF-16 units of the input text. */
export interface AnalyzedWord {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly spoken: string;
  readonly reading: string;
  readonly phonemes: string;
  readonly source: SpokenWord["source"];
  readonly uncertain: boolean;
}
export interface AnalyzedSegment {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly language: string;
  readonly spoken: string;
  readonly rewrites: readonly Rewrite[];
  readonly words: readonly AnalyzedWord[];
  /** Symbols that the voice gets for it. */
  readonly tokens: number;
  readonly predictedMs: number;
  readonly boundary: string;
}
export interface AnalyzedBlock {
  readonly kind: SourceBlock["kind"];
  readonly start: number;
  readonly end: number;
  readonly segments: readonly AnalyzedSegment[];
  /** Ids of the segments of each utterance; a long segment is in several. */
  readonly utterances: readonly (readonly string[])[];
}
export interface AnalyzedSkip {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
  /** Only for what the reader of a file left out: offsets are then of that file's text. */
  readonly file?: string;
}
/** What `katari analyze --json` prints and `POST /api/v1/analyze` answers. */
export interface Analysis {
  readonly language: string;
  readonly documents: readonly { readonly title: string; readonly blocks: readonly AnalyzedBlock[] }[];
  readonly skipped: readonly AnalyzedSkip[];
  readonly unknownWords: readonly { readonly text: string; readonly count: number; readonly guess: string }[];
}
export interface AnalyzeOptions {
  /** BCP 47 tag that overrides what the source says and what is detected. */
  readonly language?: string;
  /** Limits of the voice; the default is Kokoro's. */
  readonly limits?: UtteranceLimits;
  readonly signal?: AbortSignal;
}

/** Limits of the default voice: Kokoro takes 510 symbols and is best between 60 and 150. */
export const defaultUtteranceLimits: UtteranceLimits = { targetTokens: [60, 150], maxTokens: 510 };

/** English speech of the default voice: 54–60 ms a symbol from 60 symbols on. */
const millisecondsPerSymbol = 57;

interface State {
  readonly speaker: Speaker;
  readonly options: AnalyzeOptions;
  readonly skipped: AnalyzedSkip[];
  readonly unknown: Map<string, { text: string; count: number; guess: string }>;
  segments: number;
}

function analyzeBlock(
  state: State,
  block: Pick<SourceBlock, "kind" | "text" | "spans">,
  base: number,
  language: string,
): AnalyzedBlock {
  if (state.options.signal?.aborted) throw new AppError("cancelled", "The analysis was cancelled.");
  const { segments, skipped } = segmentBlock(block, language);
  for (const skip of skipped) state.skipped.push({ start: base + skip.start, end: base + skip.end, rule: skip.rule });
  const spoken = segments.map((segment): SpokenSegment => ({
    block: 0,
    boundary: segment.boundary,
    spoken: state.speaker.speak({
      text: segment.text,
      language,
      spans: spansWithin(block.spans, segment.start, segment.end),
      blockKind: block.kind,
    }),
  }));
  const ids = segments.map(() => `s${++state.segments}`);
  const analyzed = segments.map((segment, index): AnalyzedSegment => {
    const form = spoken[index]?.spoken;
    const at = base + segment.start;
    const words = (form?.words ?? []).map((word): AnalyzedWord => {
      if (word.source === "guess" || word.source === "spelled") count(state, word);
      return {
        start: at + word.start,
        end: at + word.end,
        text: word.text,
        spoken: word.spoken,
        reading: word.reading ?? "",
        phonemes: word.phonemes,
        source: word.source,
        uncertain: word.uncertain,
      };
    });
    const tokens = (form?.words ?? []).reduce(
      (sum, word) => sum + Array.from(word.before + word.phonemes + word.after).length + 1,
      0,
    );
    return {
      id: ids[index] ?? "",
      start: at,
      end: base + segment.end,
      text: segment.text,
      language: form?.language ?? language,
      spoken: form?.spoken ?? "",
      rewrites: (form?.rewrites ?? []).map((rewrite) => ({
        ...rewrite,
        start: at + rewrite.start,
        end: at + rewrite.end,
      })),
      words,
      tokens: Math.max(0, tokens - 1),
      predictedMs: Math.max(0, tokens - 1) * millisecondsPerSymbol,
      boundary: segment.boundary.kind,
    };
  });
  const utterances = groupUtterances(spoken, state.options.limits ?? defaultUtteranceLimits);
  return {
    kind: block.kind,
    start: base,
    end: base + block.text.length,
    segments: analyzed,
    utterances: utterances.map((utterance) => utterance.parts.map((part) => ids[part.segment] ?? "")),
  };
}

function count(state: State, word: SpokenWord): void {
  const key = word.text.toLowerCase();
  const entry = state.unknown.get(key);
  if (entry) entry.count++;
  else state.unknown.set(key, { text: word.text, count: 1, guess: word.phonemes });
}

const newState = (speaker: Speaker, options: AnalyzeOptions): State => ({
  speaker,
  options,
  skipped: [],
  unknown: new Map(),
  segments: 0,
});
const unknownWords = (state: State): Analysis["unknownWords"] =>
  [...state.unknown.values()].sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));

/**
 * Analyses a plain text: paragraphs are what empty lines part. All offsets are UTF-16 units of `text`. Throws
 * `cancelled`, and what the speaker throws.
 */
export function analyzeText(text: string, speaker: Speaker, options: AnalyzeOptions = {}): Analysis {
  const state = newState(speaker, options);
  const language = options.language ?? detectLanguage(text);
  const blocks: AnalyzedBlock[] = [];
  const paragraph = (from: number, to: number): void => {
    const raw = text.slice(from, to);
    if (raw.trim() === "") return;
    const start = from + (raw.length - raw.trimStart().length);
    blocks.push(analyzeBlock(state, { kind: "paragraph", text: raw.trim(), spans: [] }, start, language));
  };
  let from = 0;
  for (const gap of text.matchAll(/\n[^\S\n]*\n|\r\n[^\S\n]*\r\n/g)) {
    paragraph(from, gap.index);
    from = gap.index + gap[0].length;
  }
  paragraph(from, text.length);
  return { language, documents: [{ title: "", blocks }], skipped: state.skipped, unknownWords: unknownWords(state) };
}

/**
 * Analyses a source that a reader has read. Offsets are UTF-16 units of the text that its blocks make when they are
 * joined by an empty line (`\n\n`) in reading order; what the reader left out has offsets of its own `file`.
 */
export function analyzeTree(tree: SourceTree, speaker: Speaker, options: AnalyzeOptions = {}): Analysis {
  const state = newState(speaker, options);
  const known = tree.metadata.language === "und" ? undefined : tree.metadata.language;
  const language =
    options.language ??
    known ??
    detectLanguage(
      tree.documents
        .flatMap((one) => one.blocks)
        .slice(0, 40)
        .map((block) => block.text)
        .join("\n"),
    );
  let at = 0;
  const documents = tree.documents.map((document) => ({
    title: document.title,
    blocks: document.blocks.map((block) => {
      const base = at;
      at += block.text.length + 2;
      return analyzeBlock(state, block, base, options.language ?? block.language ?? document.language ?? language);
    }),
  }));
  for (const { rule, range } of tree.skipped)
    state.skipped.push({ start: range.start, end: range.end, rule, file: range.file });
  return { language, documents, skipped: state.skipped, unknownWords: unknownWords(state) };
}

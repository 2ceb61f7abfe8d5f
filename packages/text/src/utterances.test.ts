import type { SpokenForm, SpokenWord } from "@katari/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupUtterances, type SpokenSegment } from "./utterances.ts";

const limits = { targetTokens: [60, 150], maxTokens: 510 } as const;
const word = (phonemes: string, after = "", spoken = phonemes): SpokenWord => ({
  start: 0,
  end: 1,
  text: spoken,
  spoken,
  phonemes,
  before: "",
  after,
  source: "dictionary",
  uncertain: false,
});
const segment = (block: number, words: readonly SpokenWord[], language = "en"): SpokenSegment => ({
  block,
  boundary: { kind: "sentence" },
  spoken: { language, spoken: "", rewrites: [], words, revision: "test" } satisfies SpokenForm,
});
const sentence = (block: number, size: number): SpokenSegment => segment(block, [word("a".repeat(size))]);
const grouped = (segments: readonly SpokenSegment[]): number[][] =>
  groupUtterances(segments, limits).map((utterance) => utterance.parts.map((part) => part.segment));

describe("groupUtterances", () => {
  it("groups short neighbours of one block and leaves long ones alone", () => {
    expect(grouped([sentence(0, 20), sentence(0, 30), sentence(0, 40), sentence(0, 120)])).toEqual([[0, 1, 2], [3]]);
    expect(grouped([sentence(0, 20), sentence(1, 20)])).toEqual([[0], [1]]);
    expect(grouped([sentence(0, 100), sentence(0, 100)])).toEqual([[0], [1]]);
  });

  it("does not group languages", () => {
    expect(grouped([segment(0, [word("aa")]), segment(0, [word("bb")], "ja")])).toEqual([[0], [1]]);
  });

  it("makes nothing of a segment without words", () => {
    expect(grouped([segment(0, []), sentence(0, 10), segment(0, [])])).toEqual([[1]]);
    expect(grouped([])).toEqual([]);
  });

  it("joins a tiny utterance to a long neighbour", () => {
    expect(grouped([sentence(0, 160), sentence(0, 3)])).toEqual([[0, 1]]);
    expect(grouped([sentence(0, 3), sentence(0, 200)])).toEqual([[0, 1]]);
  });

  it("gives a tiny one the end of a full neighbour", () => {
    const full = segment(
      0,
      Array.from({ length: 50 }, () => word("aaaa")),
    );
    const utterances = groupUtterances([full, sentence(0, 4)], limits);
    expect(utterances.at(-1)?.parts.map((part) => part.segment)).toEqual([0, 1]);
    expect(
      utterances
        .flatMap((one) => one.parts)
        .filter((part) => part.segment === 0)
        .at(-1)?.toWord,
    ).toBe(50);
  });

  it("cuts a long sentence at clauses, never behind a conjunction or an article", () => {
    const clause = Array.from("abcdefgh").map((letter) => word(letter.repeat(6)));
    const words = Array.from({ length: 12 }, () => [
      ...clause.slice(0, -1),
      word("hhhhhh", ","),
      word("ænd", "", "and"),
      word("ðə", "", "the"),
    ]).flat();
    const utterances = groupUtterances([segment(0, words)], limits);
    expect(utterances.length).toBeGreaterThan(3);
    for (const { parts } of utterances.slice(0, -1)) expect(words[(parts[0]?.toWord ?? 0) - 1]?.after).toBe(",");
  });

  it("refuses a single word that is too long for the voice", () => {
    expect(() => groupUtterances([sentence(0, 251)], limits)).toThrowError(
      expect.objectContaining({ code: "too-large" }) as Error,
    );
  });

  it("takes a tiny neighbour beside a part that is mostly one long word without refusing the word", () => {
    // 42 + 1 + 10 = 53 symbols, and 7 more do not fit into 60 with their space.
    const full = segment(0, [word("ŋ".repeat(41), "."), word("d".repeat(9), ".")]);
    const tiny = segment(0, [word("a".repeat(6), ".")]);
    const utterances = groupUtterances([full, tiny], { targetTokens: [60, 150], maxTokens: 60 });
    // The full one keeps its long word and gives the other away.
    expect(utterances.map(({ parts }) => parts.map((part) => part.toWord - part.fromWord))).toEqual([[1], [1, 1]]);
  });

  it("tiles: parts and words stand where the phonemes say, none is missing or double, none is too long", () => {
    const words = fc.array(
      fc.record({
        phonemes: fc.constantFrom("a", "ˈbc", "dɛf ɡh", "𝒙y", "ŋ".repeat(40)),
        before: fc.constantFrom("", "“", "("),
        after: fc.constantFrom("", ",", ".”", "—"),
        spoken: fc.constantFrom("word", "and", "of", "the", "which"),
      }),
      { maxLength: 60 },
    );
    const segments = fc.array(fc.record({ block: fc.nat(2), words }), { maxLength: 8 });
    fc.assert(
      fc.property(segments, fc.integer({ min: 60, max: 510 }), (list, maxTokens) => {
        const input = list
          .sort((a, b) => a.block - b.block)
          .map((one) =>
            segment(
              one.block,
              one.words.map((w) => ({ ...word(w.phonemes, w.after, w.spoken), before: w.before })),
            ),
          );
        const utterances = groupUtterances(input, { targetTokens: [60, 150], maxTokens });
        const next = input.map(() => 0);
        for (const { phonemes, parts } of utterances) {
          const symbols = Array.from(phonemes);
          expect(symbols.length).toBeLessThanOrEqual(Math.min(250, maxTokens));
          expect(parts[0]?.start).toBe(0);
          expect(parts.at(-1)?.end).toBe(symbols.length);
          expect(new Set(parts.map((part) => input[part.segment]?.block)).size).toBe(1);
          parts.forEach((part, index) => {
            expect(part.start).toBe(index === 0 ? 0 : (parts[index - 1]?.end ?? 0) + 1);
            expect(part.fromWord).toBe(next[part.segment]);
            expect(part.toWord).toBeGreaterThan(part.fromWord);
            next[part.segment] = part.toWord;
            const own = input[part.segment]?.spoken.words.slice(part.fromWord, part.toWord) ?? [];
            expect(symbols.slice(part.start, part.end).join("")).toBe(
              own.map((w) => w.before + w.phonemes + w.after).join(" "),
            );
            expect(part.words.map(([from, to]) => symbols.slice(from, to).join(""))).toEqual(
              own.map((w) => w.phonemes),
            );
          });
        }
        expect(next).toEqual(input.map((one) => one.spoken.words.length));
      }),
      { numRuns: 300 },
    );
  });
});

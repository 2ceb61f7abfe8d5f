import { readFileSync } from "node:fs";
import type { SourceBlock, SourceTree } from "@katari/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyzeText, analyzeTree, type Analysis } from "./analyze.ts";
import { emptyPronunciation } from "./pronunciation/pronunciation.ts";
import { createSpeaker } from "./speaker.ts";

const { vocabulary } = JSON.parse(
  readFileSync(new URL("../fixtures/kokoro-vocabulary.json", import.meta.url), "utf8"),
) as {
  vocabulary: Record<string, number>;
};
const speaker = createSpeaker({ pronunciation: emptyPronunciation(), vocabulary });
const segments = (analysis: Analysis) =>
  analysis.documents.flatMap((document) => document.blocks).flatMap((block) => block.segments);

describe("analyzeText", () => {
  const text = "\n  Mr. Smith paid $5.[3] He left.\n\n* * *\n\nHe (Zorblax) came. Zorblax went.\n";
  const analysis = analyzeText(text, speaker);

  it("gives offsets into the input for blocks, segments, words, rewrites and skips", () => {
    for (const block of analysis.documents[0]?.blocks ?? [])
      expect(text.slice(block.start, block.end).trim()).not.toBe("");
    for (const segment of segments(analysis)) {
      expect(text.slice(segment.start, segment.end)).toBe(segment.text);
      for (const word of segment.words) expect(text.slice(word.start, word.end)).toBe(word.text);
      for (const rewrite of segment.rewrites) expect(text.slice(rewrite.start, rewrite.end)).toBe(rewrite.display);
    }
    expect(analysis.skipped.map((skip) => [skip.rule, text.slice(skip.start, skip.end)])).toEqual([
      ["reference-mark", "[3]"],
      ["pause-only", "* * *"],
    ]);
  });

  it("names segments once and lists them by utterance", () => {
    expect(segments(analysis).map((segment) => segment.id)).toEqual(["s1", "s2", "s3", "s4"]);
    expect(analysis.documents[0]?.blocks.map((block) => block.utterances)).toEqual([
      [["s1", "s2"]],
      [],
      [["s3", "s4"]],
    ]);
  });

  it("counts unknown words with their guess, the most frequent first", () => {
    const [first] = analysis.unknownWords;
    expect(first).toMatchObject({ text: "Zorblax", count: 2 });
    expect(first?.guess).not.toBe("");
  });

  it("counts the voice's symbols and predicts the time from them", () => {
    for (const segment of segments(analysis)) expect(segment.predictedMs).toBe(segment.tokens * 57);
  });

  it("answers an empty text with nothing to say", () => {
    expect(analyzeText(" \n ", speaker)).toEqual({
      language: "en",
      documents: [{ title: "", blocks: [] }],
      skipped: [],
      unknownWords: [],
    });
  });

  it("stops when it is told to", () => {
    expect(() => analyzeText("One. Two.", speaker, { signal: AbortSignal.abort() })).toThrowError(
      expect.objectContaining({ code: "cancelled" }) as Error,
    );
  });

  it("puts every character that is not white space into a segment or a skip", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 80 }), (input) => {
        const result = analyzeText(input, speaker);
        const owned = new Set<number>();
        for (const range of [...segments(result), ...result.skipped])
          for (let i = range.start; i < range.end; i++) owned.add(i);
        expect(
          Array.from({ length: input.length }, (_, i) => i).filter((i) => !owned.has(i) && !/\s/.test(input[i] ?? "")),
        ).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

describe("analyzeTree", () => {
  const block = (kind: SourceBlock["kind"], text: string): SourceBlock => ({
    kind,
    text,
    spans: [],
    range: { file: "a.xhtml", start: 0, end: text.length },
    anchor: { file: "a.xhtml" },
  });
  const tree: SourceTree = {
    format: "epub",
    metadata: { title: "T", authors: [], language: "en-GB" },
    documents: [
      {
        title: "One",
        anchor: { file: "a.xhtml" },
        blocks: [block("heading", "I"), block("paragraph", "He came. He left.")],
      },
      { title: "Two", anchor: { file: "a.xhtml" }, blocks: [block("paragraph", "It rained.")] },
    ],
    skipped: [{ rule: "endnotes", range: { file: "b.xhtml", start: 3, end: 9 }, characters: 6 }],
    files: [],
  };

  it("counts offsets through the blocks joined by empty lines and keeps what the reader left out", () => {
    const joined = tree.documents.flatMap((document) => document.blocks.map((one) => one.text)).join("\n\n");
    const analysis = analyzeTree(tree, speaker);
    expect(analysis.language).toBe("en-GB");
    expect(analysis.documents.map((document) => document.title)).toEqual(["One", "Two"]);
    expect(segments(analysis).map((segment) => [segment.text, segment.boundary])).toEqual([
      ["I", "heading"],
      ["He came.", "sentence"],
      ["He left.", "paragraph"],
      ["It rained.", "paragraph"],
    ]);
    for (const segment of segments(analysis)) expect(joined.slice(segment.start, segment.end)).toBe(segment.text);
    expect(analysis.skipped).toEqual([{ start: 3, end: 9, rule: "endnotes", file: "b.xhtml" }]);
  });
});

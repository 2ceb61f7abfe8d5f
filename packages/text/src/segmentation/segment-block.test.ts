import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { segmentBlock } from "./segment-block.ts";

const paragraph = (text: string) => ({ kind: "paragraph", text, spans: [] }) as const;
const texts = (text: string, language = "en"): string[] =>
  segmentBlock(paragraph(text), language).segments.map((segment) => segment.text);
const kinds = (text: string): string[] =>
  segmentBlock(paragraph(text), "en").segments.map((segment) => segment.boundary.kind);

describe("segmentBlock", () => {
  // Cases of the field's reported faults, then their kind: each list is the sentences as a reader hears them.
  it.each([
    [
      "Mr. Smith and Ms. Johnson live in St. Louis. ",
      "He works for the C.I.A. and blew a 0.9, and his B.A.C. was high.",
    ],
    ["James T. Kirk (captain) spoke."],
    ["J. R. R. Tolkien and A. A. Milne met. ", "They talked."],
    ["“Yes,” he said. ", "“No.”"],
    ["“Is not that rather a large thing to expect us to begin upon?” said Filby, an argumentative person."],
    ["He left at 5 p.m. ", "She stayed."],
    ["He left at 5 p.m. and returned."],
    ["See https://example.org/a.b?c=1. ", "Then stop."],
    ["It cost $5.30 (or so). ", "(It was a bargain.) ", "Really."],
    ["Wait... what?"],
    ["He stopped… ", "Then he ran."],
    ["Cf. Fig. 3 and pp. 12–14, e.g. this one. ", "Next."],
    ["World War II cost John Jr. $500 in 1920; ZIP 90210."],
    ["It was I. ", "She knew."],
    ["Oh! how I wondered. ", "Then?! ", "Yes!"],
    ["1. Mix the flour."],
    ["Hi. ", "Hello. ", "Yes. ", "No."],
    ["He said ‘Stop.’ ", "Nobody did."],
    ["The pace was slow⁠—was it?⁠—and even."],
    ["“What?” ", "“Nothing.”"],
    ["See Vol. II and Ch. V of it. ", "No. ", "I won't."],
    ["Wait . . . what? ", "And then . . . . ", "He left."],
    ["Born c. 1350 (d. 1400) in Pt. Reyes for 5s. 6d. a week."],
  ])("cuts %j", (...pieces) => {
    expect(texts(pieces.join(""))).toEqual(pieces.map((piece) => piece.trim()));
  });

  it("cuts Japanese at its stops and keeps what goes on after a quotation", () => {
    expect(texts("つまり、中国人です。「はい。」と言った。行く！本当？", "ja")).toEqual([
      "つまり、中国人です。",
      "「はい。」と言った。",
      "行く！",
      "本当？",
    ]);
  });

  it("cuts a 600-character Japanese paragraph at every stop", () => {
    const sentence = "メロスは、激怒した。必ず、かの邪智暴虐の王を除かなければならぬと決意した。";
    expect(texts(sentence.repeat(16), "ja")).toHaveLength(32);
  });

  it.each(["……", "！！！", "***", "—", "⁂", "* * *", ". . ."])("makes a pause of %j", (text) => {
    const { segments, skipped } = segmentBlock(paragraph(text), "en");
    expect(segments).toEqual([]);
    expect(skipped).toEqual([{ rule: "pause-only", start: 0, end: text.length }]);
  });

  it("names the boundary by what ends the segment", () => {
    expect(kinds("He waited… Then he left. “No,” she said. “Yes.” It rained.")).toEqual([
      "ellipsis",
      "quotation-turn",
      "quotation-turn",
      "quotation-turn",
      "paragraph",
    ]);
    expect(segmentBlock({ kind: "heading", text: "Chapter One", spans: [] }, "en").segments[0]?.boundary).toEqual({
      kind: "heading",
    });
  });

  it("skips numbers that cling to a word as notes do, and keeps others", () => {
    const text = "It was gone.12 Then “gone.”3 The x² of vol.3 said¹ it all.";
    const { segments, skipped } = segmentBlock(paragraph(text), "en");
    expect(segments.map((segment) => segment.text)).toEqual([
      "It was gone.",
      "Then “gone.”",
      "The x² of vol.3 said¹ it all.",
    ]);
    expect(skipped.map((skip) => text.slice(skip.start, skip.end))).toEqual(["12", "3", "¹"]);
  });

  it("skips reference marks, in and behind a sentence", () => {
    const text = "See[15] the note.[16] Then [2, 3] go on.";
    const { segments, skipped } = segmentBlock(paragraph(text), "en");
    expect(segments.map((segment) => segment.text)).toEqual(["See[15] the note.", "Then [2, 3] go on."]);
    expect(skipped.map((skip) => `${skip.rule} ${text.slice(skip.start, skip.end)}`)).toEqual([
      "reference-mark [15]",
      "reference-mark [16]",
      "reference-mark [2, 3]",
    ]);
  });

  const awkward = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "Mr. ",
          "a.m. ",
          "[15]",
          "”",
          "“",
          "…",
          "... ",
          "。",
          "「",
          "」",
          "A",
          " b ",
          "\n\n",
          "!",
          "? ",
          ".",
          "—",
          "(",
          ")",
          "7",
          "\u2060",
          "'",
        ),
        fc.string({ unit: "binary", maxLength: 3 }),
        fc.string({ unit: "grapheme", maxLength: 3 }),
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join(""));

  it("puts every character that is not white space into exactly one segment or skip", () => {
    fc.assert(
      fc.property(awkward, fc.constantFrom("en", "ja", "de", "und"), (text, language) => {
        const { segments, skipped } = segmentBlock(paragraph(text), language);
        const owners: number[] = Array.from({ length: text.length }, () => 0);
        let last = 0;
        for (const segment of segments) {
          expect(segment.start).toBeGreaterThanOrEqual(last);
          expect(segment.text).toBe(text.slice(segment.start, segment.end));
          expect(segment.text.trim()).toBe(segment.text);
          last = segment.end;
          for (let i = segment.start; i < segment.end; i++) owners[i] = 1;
        }
        let lastSkip = 0;
        for (const skip of skipped) {
          expect(skip.start).toBeGreaterThanOrEqual(lastSkip);
          lastSkip = skip.end;
          // A skip takes its characters out of the segment around it.
          for (let i = skip.start; i < skip.end; i++) owners[i] = 1;
        }
        expect(owners.filter((owner, i) => owner === 0 && !/\s/.test(text[i] ?? ""))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it("gets through a paragraph of a megabyte and hostile runs of marks", () => {
    expect(texts("The Time Traveller met Mr. Smith at 5.30 p.m. and went on. ".repeat(17_500))).toHaveLength(17_500);
    for (const unit of ["(", '"', ". ", "…”", "a.", "[1]", "! ", "\n \n", "A. ", "。」"])
      expect(segmentBlock(paragraph(unit.repeat(50_000)), "en")).toBeDefined();
  });
});

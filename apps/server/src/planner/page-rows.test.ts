import type { SegmentToPlan } from "@katari/database/statements";
import { describe, expect, it } from "vitest";
import { nextPage, segmentsPerPage, spansInside } from "./page-rows.ts";

const rows = (...blocks: readonly (readonly [string, number])[]): SegmentToPlan[] =>
  blocks
    .flatMap(([block, count]) => Array.from({ length: count }, () => block))
    .map((block_id, ordinal) => ({
      id: `s${ordinal}`,
      ordinal,
      range_start: 0,
      range_end: 1,
      text: "x",
      boundary: { kind: "sentence" },
      block_id,
      block_kind: "paragraph",
      block_text: "x",
      block_language: "en",
      block_spans: [],
    }));

describe("the next page to plan", () => {
  it("is everything when that is no more than a page", () => {
    expect(nextPage(rows(["a", 30], ["b", 70]))).toHaveLength(segmentsPerPage);
    expect(nextPage([])).toEqual([]);
  });

  it("ends before the block that does not fit", () => {
    expect(nextPage(rows(["a", 30], ["b", 60], ["c", 11]))).toHaveLength(90);
    expect(nextPage(rows(["a", 100], ["b", 1]))).toHaveLength(100);
  });

  it("cuts a block that is longer than a page", () => {
    expect(nextPage(rows(["a", 101]))).toHaveLength(segmentsPerPage);
  });
});

describe("spans inside a range", () => {
  it("are cut to the range and counted from its start", () => {
    const spans = [
      { kind: "emphasis", start: 0, end: 4 },
      { kind: "strong", start: 3, end: 12 },
      { kind: "code", start: 10, end: 20 },
      { kind: "ruby", start: 20, end: 21, value: "x" },
    ] as const;
    expect(spansInside(spans, 4, 20)).toEqual([
      { kind: "strong", start: 0, end: 8 },
      { kind: "code", start: 6, end: 16 },
    ]);
  });
});

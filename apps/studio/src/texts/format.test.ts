import { describe, expect, it } from "vitest";
import { formatCount, formatLanguage, formatLength, formatPercent, formatSize } from "./format.ts";

const minute = 60_000;

describe("a length", () => {
  it("is told in the units that people use for it", () => {
    expect(formatLength(0, "en")).toBe("0 sec");
    expect(formatLength(42_400, "en")).toBe("42 sec");
    expect(formatLength(90_000, "en")).toBe("2 min");
    expect(formatLength(59 * minute, "en")).toBe("59 min");
    expect(formatLength(60 * minute, "en")).toBe("1 hr");
    expect(formatLength(192 * minute, "en")).toBe("3 hr 12 min");
    expect(formatLength(192 * minute, "ja")).toBe("3 時間12 分");
  });

  it("never says 60 of a unit", () => {
    expect(formatLength(59_600, "en")).toBe("1 min");
    expect(formatLength(59 * minute + 40_000, "en")).toBe("1 hr");
    expect(formatLength(119 * minute + 40_000, "en")).toBe("2 hr");
  });
});

describe("a share", () => {
  it("says 100 only of the whole and 0 only of nothing", () => {
    expect(formatPercent(0, 1_943, "en")).toBe("0%");
    expect(formatPercent(1, 1_943, "en")).toBe("1%");
    expect(formatPercent(1_942, 1_943, "en")).toBe("99%");
    expect(formatPercent(1_943, 1_943, "en")).toBe("100%");
    expect(formatPercent(0, 0, "en")).toBe("0%");
  });
});

describe("figures", () => {
  it("are written as the language has them", () => {
    expect(formatCount(146_025, "en")).toBe("146,025");
    expect(formatSize(5_812_331, "en")).toBe("5.8 MB");
    expect(formatSize(212_000_000, "en")).toBe("212 MB");
    expect(formatSize(900, "en")).toBe("0.9 kB");
    expect(formatLanguage("en-GB", "ja")).toBe("イギリス英語");
    expect(formatLanguage("not a tag", "en")).toBe("not a tag");
  });
});

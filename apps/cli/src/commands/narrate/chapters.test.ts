import { describe, expect, it } from "vitest";
import { parseChapters } from "./chapters.ts";

describe("list of chapters", () => {
  it("reads numbers and ranges, each once, in order", () => {
    expect(parseChapters("5,1, 3-4,4")).toEqual([1, 3, 4, 5]);
  });

  it.each(["", "0", "3-1", "1-", "-2", "a", "1.5", "1;2", "999999"])("refuses %j with a cure", (text) => {
    expect(() => parseChapters(text)).toThrow(
      expect.objectContaining({ code: "invalid-argument", cure: expect.any(String) }),
    );
  });
});

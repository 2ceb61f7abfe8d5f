import { describe, expect, it } from "vitest";
import { countCharacters } from "./document.ts";

describe("countCharacters", () => {
  it("counts code points that are not white space", () => {
    // 𠮟 is one code point of two UTF-16 units; the ideographic space and the no-break space are white space.
    expect(countCharacters("a b\n𠮟\u3000る\u00a0!")).toBe(5);
    expect(countCharacters(" \t")).toBe(0);
  });
});

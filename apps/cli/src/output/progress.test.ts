import { describe, expect, it } from "vitest";
import { clockTime, createProgress, progressBar } from "./progress.ts";

describe("progress", () => {
  it("writes plain lines now and then when nobody sees a terminal", () => {
    const lines: string[] = [];
    let nowMs = 0;
    const progress = createProgress({ stream: { write: (text) => lines.push(text) }, now: () => nowMs });
    progress.update("Narrating", 0.5, "1/2 sentences");
    nowMs = 1_000;
    progress.update("Narrating", 0.6);
    nowMs = 6_000;
    progress.update("Narrating", 0.7);
    progress.done("Done.");
    expect(lines).toEqual(["Narrating  50 %  1/2 sentences\n", "Narrating  70 %\n", "Done.\n"]);
  });

  it("draws a bar that is full at the end and never longer", () => {
    expect(progressBar(1, 4)).toBe("████");
    expect(progressBar(0, 4)).toBe("░░░░");
    expect(progressBar(1.5, 4)).toBe("████");
  });

  it("writes times as people do", () => {
    expect(clockTime(9_000)).toBe("0:09");
    expect(clockTime(309_000)).toBe("5:09");
    expect(clockTime(3_909_000)).toBe("1:05:09");
  });
});

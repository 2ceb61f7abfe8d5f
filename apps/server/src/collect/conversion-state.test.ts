import { canBecome, conversionTransitions } from "@katari/core";
import { describe, expect, it } from "vitest";
import { settledState, type ConversionFacts } from "./conversion-state.ts";

const facts = { planned: true, remaining: 1, failed: 0, held: 1 };

describe("the state that a conversion has come to", () => {
  const table: readonly [Pick<ConversionFacts, "state"> & Partial<ConversionFacts>, ConversionFacts["state"]][] = [
    [{ state: "running" }, "running"],
    [{ state: "running", remaining: 0 }, "succeeded"],
    [{ state: "running", remaining: 0, failed: 1 }, "failed"],
    [{ state: "running", remaining: 0, planned: false }, "running"],
    [{ state: "planning", remaining: 0 }, "planning"],
    [{ state: "pausing" }, "pausing"],
    [{ state: "pausing", held: 0 }, "paused"],
    [{ state: "pausing", remaining: 0, held: 0 }, "succeeded"],
    [{ state: "pausing", remaining: 0, held: 0, planned: false }, "paused"],
    [{ state: "paused", remaining: 0 }, "paused"],
    [{ state: "cancelling" }, "cancelling"],
    [{ state: "cancelling", remaining: 0, failed: 1 }, "cancelled"],
    [{ state: "failed", remaining: 0, failed: 1 }, "failed"],
    [{ state: "failed", remaining: 0 }, "succeeded"],
    [{ state: "failed", remaining: 0, planned: false }, "failed"],
    [{ state: "succeeded", remaining: 0 }, "succeeded"],
    [{ state: "cancelled", remaining: 0 }, "cancelled"],
  ];
  it.each(table)("%o is %s", (given, expected) => {
    expect(settledState({ ...facts, ...given })).toBe(expected);
  });

  it("never goes where the transition table of the states does not lead", () => {
    for (const [given] of table) {
      const to = settledState({ ...facts, ...given });
      // Out of `failed` the way leads through `running`, which lasts no time.
      if (to === given.state || given.state === "failed") continue;
      expect(canBecome(conversionTransitions, given.state, to)).toBe(true);
    }
  });
});

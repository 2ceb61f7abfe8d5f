import { describe, expect, it } from "vitest";
import {
  canBecome,
  conversionStates,
  conversionTransitions,
  isEndedConversion,
  isLiveTask,
  taskStates,
  taskTransitions,
  type ConversionState,
  type TaskState,
} from "./states.ts";

describe("task states", () => {
  it("reach an end from every live state", () => {
    for (const state of taskStates.filter(isLiveTask))
      for (const end of ["succeeded", "failed", "cancelled"] as const)
        expect(canBecome(taskTransitions, state, end)).toBe(true);
  });

  it("never leave succeeded or cancelled", () => {
    expect(taskTransitions.succeeded).toEqual([]);
    expect(taskTransitions.cancelled).toEqual([]);
  });

  it("are queued only from pending: nothing is published twice without having been given back", () => {
    const sources = taskStates.filter((state: TaskState) => canBecome(taskTransitions, state, "queued"));
    expect(sources).toEqual(["pending"]);
  });
});

describe("conversion states", () => {
  it("can be cancelled from every state that has not ended", () => {
    const going = conversionStates.filter((state) => !isEndedConversion(state) && state !== "cancelling");
    expect(going.filter((state) => !canBecome(conversionTransitions, state, "cancelling"))).toEqual([]);
  });

  it("pause only by way of pausing, and cancel only by way of cancelling", () => {
    const sourcesOf = (to: ConversionState): ConversionState[] =>
      conversionStates.filter((state) => canBecome(conversionTransitions, state, to));
    expect(sourcesOf("paused")).toEqual(["pausing"]);
    expect(sourcesOf("cancelled")).toEqual(["cancelling"]);
  });
});

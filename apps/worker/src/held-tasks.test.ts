import { AppError, manualClock } from "@katari/core";
import { describe, expect, it } from "vitest";
import { createHeldTasks } from "./held-tasks.ts";

const isCancelled = (work: () => unknown): boolean => {
  try {
    work();
    return false;
  } catch (error) {
    return AppError.from(error).code === "cancelled";
  }
};

describe("createHeldTasks", () => {
  it("aborts what is held of a cancelled conversion, and nothing else", () => {
    const held = createHeldTasks(manualClock());
    const doomed = held.hold({ taskId: "1", conversionId: "a" });
    const kept = held.hold({ taskId: "2", conversionId: "b" });
    const released = held.hold({ taskId: "3", conversionId: "a" });
    released.release();
    held.heard({ v: 1, kind: "cancel-conversion", conversionId: "a" });
    expect([doomed, kept, released].map((each) => each.signal.aborted)).toEqual([true, false, false]);
    expect(isCancelled(() => held.hold({ taskId: "4", conversionId: "a" }))).toBe(true);
    expect(isCancelled(() => held.hold({ taskId: "5", conversionId: "b" }))).toBe(false);
  });

  it("does not take a task's id for a conversion's", () => {
    const held = createHeldTasks(manualClock());
    held.heard({ v: 1, kind: "cancel-task", taskId: "same" });
    expect(isCancelled(() => held.hold({ taskId: "other", conversionId: "same" }))).toBe(false);
    expect(isCancelled(() => held.hold({ taskId: "same" }))).toBe(true);
  });

  it("skips a paused conversion's waiting tasks for a while only, since that it goes on may not be heard", () => {
    const clock = manualClock(5);
    const held = createHeldTasks(clock);
    const running = held.hold({ taskId: "1", conversionId: "a" });
    held.heard({ v: 1, kind: "pause-conversion", conversionId: "a" });
    expect(running.signal.aborted).toBe(true);
    expect(isCancelled(() => held.hold({ taskId: "2", conversionId: "a" }))).toBe(true);
    clock.advance(10_001);
    expect(isCancelled(() => held.hold({ taskId: "2", conversionId: "a" }))).toBe(false);
  });

  it("takes the tasks of a paused conversion at once when it goes on", () => {
    const held = createHeldTasks(manualClock());
    held.heard({ v: 1, kind: "pause-conversion", conversionId: "a" });
    held.heard({ v: 1, kind: "resume-conversion", conversionId: "a" });
    expect(isCancelled(() => held.hold({ taskId: "1", conversionId: "a" }))).toBe(false);
  });

  it("passes over what it does not understand", () => {
    const held = createHeldTasks(manualClock());
    held.heard({ v: 2, kind: "cancel-everything" });
    held.heard(undefined);
    expect(isCancelled(() => held.hold({ taskId: "1" }))).toBe(false);
  });

  it("forgets the oldest of very many cancellations", () => {
    const held = createHeldTasks(manualClock());
    for (let n = 0; n <= 10_000; n++) held.heard({ v: 1, kind: "cancel-task", taskId: `${n}` });
    expect(isCancelled(() => held.hold({ taskId: "0" }))).toBe(false);
    expect(isCancelled(() => held.hold({ taskId: "1" }))).toBe(true);
    expect(isCancelled(() => held.hold({ taskId: "10000" }))).toBe(true);
  });
});

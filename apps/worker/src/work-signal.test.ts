import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createWorkSignal } from "./work-signal.ts";

describe("createWorkSignal", () => {
  it("aborts with the reason of whoever aborts first", () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const work = createWorkSignal([one.signal, other.signal], 60_000);
    other.abort("enough");
    one.abort("late");
    expect(work.signal.reason).toBe("enough");
    expect(work.isLate()).toBe(false);
    work.release();
  });

  it("is aborted at once when a source is", () => {
    const work = createWorkSignal([AbortSignal.abort("before")], 60_000);
    expect(work.signal.reason).toBe("before");
    work.release();
  });

  it("says when it was the time that ended it", async () => {
    const work = createWorkSignal([], 1);
    await new Promise((resolve) => work.signal.addEventListener("abort", resolve));
    expect(work.isLate()).toBe(true);
    expect(work.signal.reason).toMatchObject({ name: "TimeoutError" });
  });

  it("leaves nothing at its sources", () => {
    const source = new AbortController();
    createWorkSignal([source.signal], 60_000).release();
    expect(getEventListeners(source.signal, "abort")).toEqual([]);
  });
});

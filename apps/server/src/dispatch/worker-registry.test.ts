import { manualClock } from "@katari/core";
import { createMemoryBus } from "@katari/queue";
import { describe, expect, it } from "vitest";
import { until } from "../testing/hand-worker.ts";
import { createWorkerRegistry } from "./worker-registry.ts";

describe("the registry of workers", () => {
  const setUp = () => {
    const bus = createMemoryBus();
    const clock = manualClock(1_000);
    let changes = 0;
    const workers = createWorkerRegistry({ bus, clock, silenceMs: 30_000, onChange: () => changes++ });
    let heard = 0;
    bus.listen("announcements", () => heard++);
    const announce = async (workerId: string, slots: Record<string, number>, ready = true) => {
      const before = heard;
      await bus.broadcast("announcements", { v: 1, workerId, slots, ready, ...(ready ? {} : { reason: "no model" }) });
      await until(() => heard > before);
    };
    return { clock, workers, announce, changes: () => changes };
  };

  it("adds up the slots of ready workers by lane", async () => {
    const { workers, announce } = setUp();
    await announce("a", { "speech.cpu.bulk": 3, "speech.cpu.interactive": 1 });
    await announce("b", { "speech.cpu.bulk": 2, import: 1 });
    await announce("c", { "speech.cpu.bulk": 9 }, false);
    expect([workers.slots("cpu"), workers.slots("gpu"), workers.slots("import")]).toEqual([6, 0, 1]);
    expect(workers.list()).toHaveLength(3);
    expect(workers.list()[2]).toMatchObject({ workerId: "c", ready: false, reason: "no model" });
  });

  it("forgets a worker that is silent, and knows since when a lane has none", async () => {
    const { clock, workers, announce } = setUp();
    expect(workers.withoutWorkerSinceMs("cpu")).toBe(1_000);
    clock.advance(500);
    await announce("a", { "speech.cpu.bulk": 1 });
    expect(workers.withoutWorkerSinceMs("cpu")).toBeUndefined();
    clock.advance(30_001);
    expect(workers.withoutWorkerSinceMs("cpu")).toBe(1_500);
    expect(workers.list()).toEqual([]);
  });

  it("says when something changed, not each time that a worker repeats itself", async () => {
    const { workers, announce, changes } = setUp();
    await announce("a", { import: 1 });
    await announce("a", { import: 1 });
    expect(changes()).toBe(1);
    await announce("a", { import: 2 });
    expect(changes()).toBe(2);
    workers.close();
  });
});

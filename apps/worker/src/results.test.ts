import { manualClock } from "@katari/core";
import { createMemoryBus } from "@katari/queue";
import { describe, expect, it } from "vitest";
import { readResults } from "./fixtures/studio.ts";
import { createResults } from "./results.ts";

describe("createResults", () => {
  it("says who answered which attempt, and when", async () => {
    const bus = createMemoryBus();
    const results = createResults({ bus, workerId: "w", clock: manualClock(42) });
    await results.publish({ taskId: "t", attempt: 3 }, { kind: "started" });
    const reader = await readResults(bus);
    expect(await reader.next("t", "started")).toEqual({
      v: 1,
      taskId: "t",
      attempt: 3,
      workerId: "w",
      atMs: 42,
      outcome: { kind: "started" },
    });
    await bus.close();
  });

  it("tells a result that does not fit into a message as a failure", async () => {
    const bus = createMemoryBus();
    const results = createResults({ bus, workerId: "w", clock: manualClock() });
    await results.publish(
      { taskId: "t", attempt: 1 },
      { kind: "failed", code: "internal", message: "x".repeat(20_000) },
    );
    const reader = await readResults(bus);
    expect((await reader.next("t", "failed")).outcome).toMatchObject({ kind: "failed", code: "too-large" });
    await bus.close();
  });

  it("throws what the bus says", async () => {
    const bus = createMemoryBus();
    await bus.close();
    const results = createResults({ bus, workerId: "w", clock: manualClock() });
    const published = results.publish({ taskId: "t", attempt: 1 }, { kind: "started" });
    await expect(published).rejects.toMatchObject({ code: "unavailable" });
  });
});

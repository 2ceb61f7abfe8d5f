import { describe, expect, it } from "vitest";
import { Counter, createMetrics } from "./metrics.ts";

describe("createMetrics", () => {
  it("keeps one app's figures apart from another's", async () => {
    const one = createMetrics({ app: "worker", processMetrics: false });
    const other = createMetrics({ app: "server", processMetrics: false });
    new Counter({ name: "katari_tasks_total", help: "Tasks done.", registers: [one.registry] }).inc(3);
    expect(await one.text()).toContain('katari_tasks_total{app="worker"} 3');
    expect(await other.text()).not.toContain("katari_tasks_total");
  });
});

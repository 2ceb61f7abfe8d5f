import type { ImportTask } from "@katari/contracts";
import { AppError, manualClock } from "@katari/core";
import { createMemoryBus, type MessageBus } from "@katari/queue";
import { createLogger } from "@katari/telemetry";
import { afterEach, describe, expect, it } from "vitest";
import { readResults, until } from "./fixtures/studio.ts";
import { createHeldTasks } from "./held-tasks.ts";
import { createJobLane, type JobContext, type JobResult } from "./job-lane.ts";
import { createResults } from "./results.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const done: JobResult = { kind: "import", indexKey: "imports/x/index.json" };
const importTask = (taskId: string, over: Partial<ImportTask> = {}): ImportTask => ({
  v: 1,
  kind: "import",
  taskId,
  attempt: 1,
  projectId: "p",
  timeoutMs: 60_000,
  sourceKey: "sources/x",
  sourceDigest: "x",
  fileName: "x.txt",
  importRevision: 1,
  ...over,
});

/** A lane whose jobs do what the test says. */
async function openLane(work: (task: ImportTask, context: JobContext) => Promise<JobResult>, resultBus?: MessageBus) {
  const bus = createMemoryBus({ deliveryLimit: 2 });
  const clock = manualClock(1_000_000);
  const abandon = new AbortController();
  const held = createHeldTasks(clock);
  const lane = createJobLane<ImportTask>({
    bus,
    queue: "import",
    kind: "import",
    slots: 1,
    work,
    held,
    results: createResults({ bus: resultBus ?? bus, workerId: "w", clock }),
    clock,
    logger: createLogger({ level: "silent", name: "worker" }),
    abandon: abandon.signal,
    onNewerMessage: () => undefined,
  });
  cleanups.push(async () => {
    abandon.abort();
    await lane.close();
    await bus.close();
  });
  return { bus, clock, abandon, held, lane, results: await readResults(bus) };
}

/** Work that lasts until it is aborted. */
const endless = (_: ImportTask, { signal }: JobContext): Promise<JobResult> =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

describe("a job lane", () => {
  it("acknowledges once the start is confirmed, and only then works", async () => {
    let depth: number | undefined;
    const opened = await openLane(async () => {
      depth = await opened.bus.depth("import");
      return done;
    });
    await opened.bus.publish("import", importTask("a"));
    await opened.results.next("a", "succeeded");
    expect(opened.results.all.map((each) => each.outcome.kind)).toEqual(["started", "succeeded"]);
    expect(depth).toBe(0);
  });

  it("does one job at a time and leaves the next message to whoever is free", async () => {
    const { bus, results, held } = await openLane(endless);
    await bus.publish("import", importTask("first"));
    await results.next("first", "started");
    await bus.publish("import", importTask("second"));
    await until(async () => (await bus.depth("import")) === 1);
    held.heard({ v: 1, kind: "cancel-task", taskId: "first" });
    expect((await results.next("first", "cancelled", "failed", "retry")).outcome.kind).toBe("cancelled");
    await results.next("second", "started");
  });

  it("tells at most one progress figure a second, the latest one, and none that moves nothing", async () => {
    const opened = await openLane(async (_, { progress }) => {
      for (let share = 0; share < 0.99; share += 0.01) progress(share);
      progress(0.99);
      opened.clock.advance(1_100);
      progress(0.5);
      await until(() => opened.results.all.some((each) => each.outcome.kind === "progress"));
      opened.clock.advance(1_100);
      progress(0.992);
      return done;
    });
    await opened.bus.publish("import", importTask("a"));
    await opened.results.next("a", "succeeded");
    const shares = opened.results.all.flatMap(({ outcome }) => (outcome.kind === "progress" ? [outcome.ratio] : []));
    // 100 figures at one instant send none; the one after 1.1 s sends the highest so far; 0.2 % more is not worth one.
    expect(shares).toHaveLength(1);
    expect(shares[0]).toBeCloseTo(0.99);
  });

  it("fails with the cure on a lasting fault, and asks for another try on a passing one", async () => {
    const { bus, results } = await openLane((task) =>
      Promise.reject(
        task.taskId === "lasting"
          ? new AppError("unsupported-format", "It is a PDF.", { cure: "Save it as EPUB." })
          : new AppError("unavailable", "The store is away.", { retryable: true }),
      ),
    );
    await bus.publish("import", importTask("lasting"));
    await bus.publish("import", importTask("passing"));
    expect((await results.next("lasting", "failed", "retry")).outcome).toEqual({
      kind: "failed",
      code: "unsupported-format",
      message: "It is a PDF.",
      cure: "Save it as EPUB.",
    });
    expect((await results.next("passing", "failed", "retry")).outcome).toMatchObject({
      kind: "retry",
      code: "unavailable",
    });
  });

  it("asks for another try at once when the worker ends before the job", async () => {
    const { bus, results, abandon, lane } = await openLane(endless);
    await bus.publish("import", importTask("a"));
    await results.next("a", "started");
    const closing = lane.close();
    abandon.abort();
    await closing;
    expect((await results.next("a", "retry", "failed", "cancelled")).outcome).toMatchObject({
      kind: "retry",
      afterMs: 0,
    });
  });

  it("answers retry when the job takes longer than it may", async () => {
    const { bus, results } = await openLane(endless);
    await bus.publish("import", importTask("slow", { timeoutMs: 20 }));
    expect((await results.next("slow", "retry", "failed", "cancelled")).outcome).toMatchObject({
      kind: "retry",
      code: "timeout",
    });
  });

  it("answers a task of another kind with retry, without working", async () => {
    let runs = 0;
    const { bus, results } = await openLane(() => Promise.resolve((runs++, done)));
    await bus.publish("import", { v: 7, taskId: "newer", attempt: 2 });
    expect((await results.next("newer", "retry", "failed")).outcome.kind).toBe("retry");
    expect(runs).toBe(0);
  });

  it("does not acknowledge a message of which it cannot say that it started", async () => {
    const away = createMemoryBus();
    await away.close();
    let runs = 0;
    const { bus } = await openLane(() => Promise.resolve((runs++, done)), away);
    await bus.publish("import", importTask("a"));
    // Given out until the crash breaker takes it: the collector finds it there.
    await until(async () => (await bus.depth("import.dead")) === 1);
    expect(runs).toBe(0);
  });
});

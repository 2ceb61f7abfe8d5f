import { decodeWav } from "@katari/audio";
import type { AssemblyPlan } from "@katari/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTestWorker } from "./fixtures/start-worker.ts";
import { openStudio, startModelServer, until, type ModelServerProcess, type Studio } from "./fixtures/studio.ts";
import { sha256Hex } from "./voice-shelf.ts";
import type { WorkerOptions } from "./worker.ts";

let studio: Studio;
let server: ModelServerProcess;
beforeAll(async () => {
  studio = await openStudio();
  server = await startModelServer(studio);
});
afterAll(async () => {
  await server.kill();
  await studio.dispose();
});

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function start(over: Partial<WorkerOptions> = {}, url = server.url) {
  const started = await startTestWorker(studio, url, over);
  cleanups.push(() => started.end());
  return started;
}

describe("a worker with a real model server", () => {
  it("turns a speech task into a take in the store", async () => {
    const { bus, results } = await start();
    const task = studio.speechTask({ taskId: "first" });
    await bus.publish("speech.cpu.bulk", task);
    const { outcome, workerId, attempt } = await results.next("first", "succeeded", "failed", "retry");
    expect([workerId, attempt]).toEqual(["worker-1", 1]);
    if (outcome.kind !== "succeeded" || outcome.result.kind !== "speech") throw new Error(JSON.stringify(outcome));
    const { take, rendered } = outcome.result;
    expect(rendered).toBe(true);
    expect(take.key).toBe(task.takeKey);
    // Units of the test voice (tone-tables.ts): pad 12, space 2, full stop 8, sounding 2 + id % 3, pad 12; 600 samples each.
    const units = ["h", "i", "m", "ə"].map((symbol) => 2 + ((studio.manifest.vocabulary[symbol] ?? 0) % 3));
    const sum = (list: number[]) => list.reduce((total, each) => total + each, 0);
    const total = 12 + sum(units) + 2 + 8 + 12;
    expect(take.lengthSamples).toBe(total * 600);
    const firstWord: [number, number] = [12 * 600, (12 + sum(units.slice(0, 2))) * 600];
    expect(take.parts[0]?.words[0]).toEqual(firstWord);
    expect(take.parts).toHaveLength(1);
    expect(take.parts[0]?.soundStartSamples).toBeGreaterThanOrEqual(0);
    expect(take.checks.suspicions).toEqual([]);
    // The audio is there before the result that names it, as a whole 16-bit WAV.
    const { pcm, sampleRate } = decodeWav(await studio.store.get(take.audioKey));
    expect([pcm.length, sampleRate]).toEqual([take.lengthSamples, 24_000]);
    expect(await bus.depth("speech.cpu.bulk")).toBe(0);
  });

  it("finds a take in the store and does not render it again", async () => {
    const { bus, results } = await start();
    await bus.publish("speech.cpu.bulk", studio.speechTask({ taskId: "a" }));
    const first = await results.next("a", "succeeded");
    await bus.publish("speech.cpu.bulk", studio.speechTask({ taskId: "b" }));
    const second = await results.next("b", "succeeded");
    if (first.outcome.kind !== "succeeded" || second.outcome.kind !== "succeeded") throw new Error("not succeeded");
    expect(second.outcome.result).toEqual({ ...first.outcome.result, rendered: false });
  });

  it("says that it started before it says how it ended", async () => {
    const { bus, results } = await start();
    await bus.publish("speech.cpu.bulk", studio.speechTask({ taskId: "order" }));
    await results.next("order", "succeeded");
    expect(results.all.map((each) => each.outcome.kind)).toEqual(["started", "succeeded"]);
  });

  it("announces its slots at once", async () => {
    const { announcements } = await start();
    await until(() => announcements.length > 0);
    expect(announcements[0]).toEqual({
      v: 1,
      workerId: "worker-1",
      slots: { "speech.cpu.interactive": 1, "speech.cpu.bulk": 2 },
      ready: true,
    });
  });

  it("imports a source and exports a programme beside the speech", async () => {
    const { bus, results, announcements } = await start({
      slots: { "speech.cpu.bulk": 1, "speech.cpu.interactive": 1, import: 1, export: 1 },
    });
    await until(() => announcements.length > 0);
    expect(announcements[0]?.slots).toMatchObject({ import: 1, export: 1 });

    const content = new TextEncoder().encode("# Tones\n\nHe hummed.\n");
    await studio.store.put("sources/tones", content);
    const common = { v: 1, attempt: 1, projectId: "p", timeoutMs: 60_000 } as const;
    const source = { sourceKey: "sources/tones", sourceDigest: sha256Hex(content), fileName: "tones.md" };
    await bus.publish("import", { ...common, kind: "import", taskId: "import", ...source, importRevision: 1 });
    const imported = await results.next("import", "succeeded", "failed", "retry");
    expect(imported.outcome).toEqual({
      kind: "succeeded",
      result: { kind: "import", indexKey: "imports/import/index.json" },
    });

    await bus.publish("speech.cpu.bulk", studio.speechTask({ taskId: "take" }));
    const spoken = (await results.next("take", "succeeded")).outcome;
    if (spoken.kind !== "succeeded" || spoken.result.kind !== "speech") throw new Error("not spoken");
    const { audioKey, lengthSamples, sampleRate } = spoken.result.take;
    const clips = [{ audioKey, startSamples: 0, endSamples: lengthSamples }];
    const plan: AssemblyPlan = {
      v: 1,
      sampleRate,
      leadInMs: 0,
      leadOutMs: 0,
      documents: [
        { documentId: "d", title: "Tones", segments: [{ segmentId: "s", clips, words: [], pauseMs: 1_000 }] },
      ],
      tags: { title: "Tones", authors: [], narrator: "Test", language: "en" },
    };
    await studio.store.put("plans/tones.json", new TextEncoder().encode(JSON.stringify(plan)));
    const output = { exportId: "e", planKey: "plans/tones.json", format: "wav" } as const;
    const loudness = { targetLufs: -19, ceilingDbtp: -3 };
    await bus.publish("export", { ...common, kind: "export", taskId: "export", ...output, loudness });
    const exported = (await results.next("export", "succeeded", "failed", "retry")).outcome;
    // The take and the pause of one second.
    const file = { sampleRate: 24_000, lengthSamples: lengthSamples + 24_000 };
    expect(exported).toMatchObject({ kind: "succeeded", result: { kind: "export", file } });
    const kinds = results.all.filter((each) => each.taskId === "export").map((each) => each.outcome.kind);
    expect(kinds[0]).toBe("started");
  });
});

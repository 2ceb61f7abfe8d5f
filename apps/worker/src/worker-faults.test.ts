import { execFileSync } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SpeechTask, VoiceManifest } from "@katari/contracts";
import { createFileStore } from "@katari/storage";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startSilentModelServer } from "./fixtures/silent-model-server.ts";
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

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
async function start(over: Partial<WorkerOptions> = {}, url = server.url) {
  const started = await startTestWorker(studio, url, over);
  cleanups.push(() => started.end());
  return started;
}
async function startSilent(over: Partial<WorkerOptions> = {}) {
  const silent = await startSilentModelServer();
  cleanups.push(() => silent.close());
  return { silent, ...(await start(over, silent.url)) };
}

const anyEnd = ["succeeded", "failed", "retry", "cancelled"] as const;

async function outcomeOf(task: SpeechTask, over: Partial<WorkerOptions> = {}) {
  const { bus, results } = await start(over);
  await bus.publish("speech.cpu.bulk", task);
  return (await results.next(task.taskId, ...anyEnd)).outcome;
}

describe("a worker whose model server is away", () => {
  it("answers retry, takes no more, says so, and goes on when the server is back", async () => {
    const lonely = await startModelServer(studio);
    await lonely.kill();
    const { bus, results, announcements } = await start({}, lonely.url);
    await bus.publish("speech.cpu.bulk", studio.speechTask({ taskId: "early", phonemes: "ə.", parts: onePart(1) }));
    expect((await results.next("early", ...anyEnd)).outcome).toMatchObject({ kind: "retry", code: "unavailable" });
    await until(() => announcements.at(-1)?.ready === false);
    expect(announcements.at(-1)).toMatchObject({
      reason: "The model server does not answer.",
      slots: { "speech.cpu.interactive": 0, "speech.cpu.bulk": 0 },
    });
    await bus.publish("speech.cpu.bulk", studio.speechTask({ taskId: "late", phonemes: "hə.", parts: onePart(2) }));
    expect(await bus.depth("speech.cpu.bulk")).toBe(1);

    const back = await startModelServer(studio, { port: lonely.port });
    cleanups.push(() => back.kill());
    expect((await results.next("late", ...anyEnd)).outcome.kind).toBe("succeeded");
    await until(() => announcements.at(-1)?.ready === true);
  });
});

describe("a worker whose model server is away and a conversion that is cancelled", () => {
  it("answers what waits of it, and leaves the rest on the queue, uncounted", async () => {
    const lonely = await startModelServer(studio);
    await lonely.kill();
    const { bus, results, announcements } = await start({}, lonely.url);
    const base = { phonemes: "və.", parts: onePart(2) };
    await bus.publish("speech.cpu.bulk", studio.speechTask({ ...base, taskId: "first" }));
    await until(() => announcements.at(-1)?.ready === false);
    for (const [taskId, conversionId] of [
      ["a1", "doomed"],
      ["b1", "kept"],
      ["a2", "doomed"],
      ["b2", "kept"],
    ] as const)
      await bus.publish("speech.cpu.bulk", studio.speechTask({ ...base, taskId, conversionId }));
    await bus.broadcast("control", { v: 1, kind: "cancel-conversion", conversionId: "doomed" });
    for (const taskId of ["a1", "a2"])
      expect((await results.next(taskId, ...anyEnd)).outcome).toEqual({ kind: "cancelled" });
    await until(async () => (await bus.depth("speech.cpu.bulk")) === 2);

    const back = await startModelServer(studio, { port: lonely.port });
    cleanups.push(() => back.kill());
    for (const taskId of ["b1", "b2"]) expect((await results.next(taskId, ...anyEnd)).outcome.kind).toBe("succeeded");
    expect(await bus.depth("speech.cpu.bulk.dead")).toBe(0);
  });
});

/** One part with one word over the first symbols, before a full stop. */
function onePart(symbols: number): SpeechTask["parts"] {
  return [{ start: 0, end: symbols + 1, words: [[0, symbols]] }];
}

/** Publishes another voice; returns what its tasks pin. */
async function putVoice(over: Partial<VoiceManifest>, style: Uint8Array) {
  const manifest = { ...studio.manifest, ...over };
  const bytes = new TextEncoder().encode(JSON.stringify(manifest));
  const voiceRef = `test@${sha256Hex(bytes)}`;
  await studio.store.put(`voices/${voiceRef}/voice.json`, bytes);
  await studio.store.put(`voices/${voiceRef}/${studio.manifest.style.file}`, style);
  return { voiceRef, voiceDigest: manifest.style.digest };
}

describe("a worker and what lies in the store", () => {
  it("renders anew what a broken record, or one without its audio, names", async () => {
    const task = studio.speechTask({ taskId: "broken" });
    const { bus, results } = await start();
    await bus.publish("speech.cpu.bulk", task);
    const first = (await results.next("broken", "succeeded")).outcome;
    if (first.kind !== "succeeded" || first.result.kind !== "speech") throw new Error("not rendered");
    const record = `takes/${task.takeKey}.json`;
    const good = await studio.store.get(record);
    const half = good.subarray(0, good.length / 2);
    const other = new TextEncoder().encode(JSON.stringify({ ...first.result.take, key: "another" }));
    for (const [name, content] of [
      ["half", half],
      ["other", other],
      ["empty", new Uint8Array(0)],
    ] as const) {
      await studio.store.put(record, content);
      await bus.publish("speech.cpu.bulk", { ...task, taskId: name });
      const { outcome } = await results.next(name, ...anyEnd);
      expect(outcome).toEqual(
        first.kind === "succeeded" ? { ...first, result: { ...first.result, rendered: true } } : 0,
      );
      expect(await studio.store.get(record)).toEqual(good);
    }
    await studio.store.put(first.result.take.audioKey, new Uint8Array(50));
    await bus.publish("speech.cpu.bulk", { ...task, taskId: "no-audio" });
    expect((await results.next("no-audio", ...anyEnd)).outcome).toMatchObject({ result: { rendered: true } });
    const info = await studio.store.head(first.result.take.audioKey);
    expect(info?.sizeBytes).toBe(44 + 2 * first.result.take.lengthSamples);
  });

  it("fails with a cure when the voice is not there, or damaged", async () => {
    const base = studio.speechTask();
    const away = studio.speechTask({
      taskId: "away",
      rendering: { ...base.rendering, voiceRef: "test@none" },
      phonemes: "tə",
      parts: onePart(1),
    });
    expect(await outcomeOf(away)).toMatchObject({ kind: "failed", code: "voice-unavailable" });

    const wrongStyle = await putVoice({ title: "Other" }, new Uint8Array(1024));
    const damaged = { taskId: "damaged", phonemes: "tə", parts: onePart(1) };
    const withStyle = studio.speechTask({ ...damaged, rendering: { ...base.rendering, ...wrongStyle } });
    expect(await outcomeOf(withStyle)).toMatchObject({ kind: "failed", code: "voice-damaged" });

    await studio.store.put("voices/test@0123/voice.json", new TextEncoder().encode(JSON.stringify(studio.manifest)));
    const withManifest = studio.speechTask({ ...damaged, rendering: { ...base.rendering, voiceRef: "test@0123" } });
    expect(await outcomeOf(withManifest)).toMatchObject({ kind: "failed", code: "voice-damaged" });
  });

  it("fails as disk-full when the store is full", async (context) => {
    const root = join(studio.folder, "small");
    await mkdir(root, { recursive: true });
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=800k", "tmpfs", root], { stdio: "ignore" });
    } catch {
      context.skip("needs the right to mount a small file system");
    }
    cleanups.push(() => void execFileSync("umount", [root]));
    const store = await createFileStore({ root });
    for await (const { key } of studio.store.list("voices/")) await store.put(key, await studio.store.get(key));
    // The voice takes half a megabyte; a take of some seconds does not fit beside this.
    await store.put("ballast", new Uint8Array(200_000));
    const phonemes = "həmə hə mə hə mə hə mə.";
    const task = studio.speechTask({ taskId: "full", phonemes, parts: onePart(phonemes.length - 1) });
    const outcome = await outcomeOf(task, { store });
    expect(outcome).toMatchObject({ kind: "failed", code: "disk-full", cure: expect.stringContaining("Free") });
    expect(await store.head(`takes/${task.takeKey}.json`)).toBeUndefined();
  });
});

describe("a worker and a task that does not fit", () => {
  it("refuses another take key than that of the input, as retry", async () => {
    const task = studio.speechTask({ taskId: "key", takeKey: "0".repeat(64) });
    expect(await outcomeOf(task)).toMatchObject({ kind: "retry", code: "model-unavailable" });
  });

  it("refuses a task that pins another model than the one that is served, as retry", async () => {
    const other = await startModelServer(studio, { sourceDigest: "f".repeat(64) });
    cleanups.push(() => other.kill());
    const { bus, results } = await start({}, other.url);
    await bus.publish("speech.cpu.bulk", studio.speechTask({ taskId: "model", phonemes: "sə.", parts: onePart(2) }));
    const { outcome } = await results.next("model", ...anyEnd);
    expect(outcome).toMatchObject({ kind: "retry", code: "model-unavailable" });
  });

  it("fails at once on a symbol that the voice does not have", async () => {
    const task = studio.speechTask({ taskId: "symbol", phonemes: "語.", parts: onePart(1) });
    expect(await outcomeOf(task)).toMatchObject({ kind: "failed", code: "invalid-argument" });
  });

  it("does not store sound that holds values which are no numbers", async () => {
    // The test voice's loudness is 1 + the first number of the style row: a speaker of NaN sounds like NaN.
    const style = new Uint8Array(new Float32Array(510 * 256).fill(Number.NaN).buffer);
    const voice = await putVoice({ style: { file: "speaker.bin", digest: sha256Hex(style) } }, style);
    const task = studio.speechTask({ taskId: "nan", rendering: { ...studio.speechTask().rendering, ...voice } });
    expect(await outcomeOf(task)).toMatchObject({ kind: "retry", code: "audio-suspect" });
    expect(await studio.store.head(`takes/${task.takeKey}.json`)).toBeUndefined();
  });

  it("answers retry to a newer message and is not ready any more", async () => {
    const { bus, results, announcements } = await start();
    await bus.publish("speech.cpu.bulk", { v: 2, taskId: "newer", attempt: 3, what: "ever" });
    expect(await results.next("newer", ...anyEnd)).toMatchObject({ attempt: 3, outcome: { kind: "retry" } });
    await until(() => announcements.at(-1)?.ready === false);
    expect(announcements.at(-1)?.reason).toContain("newer");
  });

  it("leaves a message that names no task to the dead-letter queue", async () => {
    const { bus } = await start();
    await bus.publish("speech.cpu.bulk", { hello: "there" });
    await until(async () => (await bus.depth("speech.cpu.bulk.dead")) === 1);
    expect(await bus.depth("speech.cpu.bulk")).toBe(0);
  });
});

describe("a worker that is told to stop", () => {
  it("aborts what runs of a cancelled conversion, and skips what comes of it later", async () => {
    const { silent, bus, results } = await startSilent();
    const { rendering } = studio.speechTask();
    const base = { rendering, phonemes: "ʃə.", parts: onePart(2), conversionId: "doomed" };
    await bus.publish("speech.cpu.bulk", studio.speechTask({ ...base, taskId: "running" }));
    await bus.publish("speech.cpu.bulk", studio.speechTask({ ...base, taskId: "other", conversionId: "kept" }));
    await until(() => silent.waiting() === 2);
    await bus.broadcast("control", { v: 1, kind: "cancel-conversion", conversionId: "doomed" });
    expect((await results.next("running", ...anyEnd)).outcome).toEqual({ kind: "cancelled" });
    await until(() => silent.waiting() === 1);
    await bus.publish("speech.cpu.bulk", studio.speechTask({ ...base, taskId: "later" }));
    expect((await results.next("later", ...anyEnd)).outcome).toEqual({ kind: "cancelled" });
    expect(results.all.some((each) => each.taskId === "other" && each.outcome.kind !== "started")).toBe(false);
  });

  it("answers retry when the time of a task is over", async () => {
    const { bus, results } = await startSilent();
    const task = studio.speechTask({ taskId: "slow", phonemes: "ʃə.", parts: onePart(2), timeoutMs: 50 });
    await bus.publish("speech.cpu.bulk", task);
    expect((await results.next("slow", ...anyEnd)).outcome).toMatchObject({ kind: "retry", code: "timeout" });
  });

  it("keeps its slot for somebody who listens, however much bulk work there is", async () => {
    const { silent, bus } = await startSilent();
    const bulk = (n: number) => studio.speechTask({ taskId: `bulk-${n}`, phonemes: "ʃə.", parts: onePart(2) });
    for (let n = 0; n < 5; n++) await bus.publish("speech.cpu.bulk", bulk(n));
    await until(() => silent.waiting() === 2);
    await bus.publish("speech.cpu.interactive", { ...bulk(9), taskId: "heard", interactive: true });
    await until(() => silent.waiting() === 3);
    expect(await bus.depth("speech.cpu.bulk")).toBe(3);
  });

  it("hands back at its end what does not end in time, uncounted", async () => {
    const { silent, bus, worker, results, announcements } = await startSilent();
    await bus.publish("speech.cpu.bulk", studio.speechTask({ taskId: "back", phonemes: "ʃə.", parts: onePart(2) }));
    await until(() => silent.waiting() === 1);
    await worker.stop({ limitMs: 10 });
    expect(await bus.depth("speech.cpu.bulk")).toBe(1);
    expect(results.all.map((each) => each.outcome.kind)).toEqual(["started"]);
    await until(() => announcements.at(-1)?.ready === false);
    let count: number | undefined;
    await bus.consume("speech.cpu.bulk", { slots: 1 }, ({ deliveryCount }) => {
      count = deliveryCount;
      return Promise.resolve("ack");
    });
    await until(() => count !== undefined);
    expect(count).toBe(0);
  });
});

afterAll(() => rm(join(studio.folder, "small"), { recursive: true, force: true }));

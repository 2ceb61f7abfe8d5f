import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { decodeWav, encodeWav } from "@katari/audio";
import type { ExportFormat, ExportTask } from "@katari/contracts";
import { AppError, type AssemblyPlan, type Timeline } from "@katari/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStudio, type Studio } from "../fixtures/studio.ts";
import { parseJson } from "../voice-shelf.ts";
import { createExportHandler } from "./export.ts";

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.dispose());

const sampleRate = 24_000;

/** Puts two takes of a second of tone, and a plan over them: 0.5 s lead-in, 1 s, 0.25 s pause, 0.5 s, 0.5 s lead-out. */
async function putPlan(over: Partial<AssemblyPlan> = {}): Promise<string> {
  const clips = [];
  for (const [at, hz] of [220, 330].entries()) {
    const pcm = Float32Array.from(
      { length: sampleRate },
      (_, i) => 0.2 * Math.sin((2 * Math.PI * hz * i) / sampleRate),
    );
    const audioKey = `audio/tone-${at}.wav`;
    await studio.store.put(audioKey, encodeWav(pcm, sampleRate));
    clips.push({ audioKey, startSamples: 0, endSamples: at === 0 ? sampleRate : sampleRate / 2 });
  }
  const [first, second] = clips.map((clip) => [clip]);
  const plan: AssemblyPlan = {
    v: 1,
    sampleRate,
    leadInMs: 500,
    leadOutMs: 500,
    documents: [
      {
        documentId: "d1",
        title: "One",
        segments: [
          {
            segmentId: "s1",
            clips: first ?? [],
            words: [{ clip: 0, startSamples: 100, endSamples: 900 }],
            pauseMs: 250,
          },
          { segmentId: "s2", clips: second ?? [], words: [], pauseMs: 0 },
        ],
      },
    ],
    tags: { title: "Tones", authors: ["Nobody"], narrator: "Test", language: "en" },
    ...over,
  };
  await studio.store.put("plans/p.json", new TextEncoder().encode(JSON.stringify(plan)));
  return "plans/p.json";
}

async function exportAs(format: ExportFormat, planKey: string, signal = new AbortController().signal) {
  const task: ExportTask = {
    v: 1,
    kind: "export",
    taskId: "export-1",
    attempt: 1,
    projectId: "project-1",
    exportId: "e1",
    timeoutMs: 60_000,
    planKey,
    format,
    loudness: { targetLufs: -19, ceilingDbtp: -3 },
  };
  const shares: number[] = [];
  const work = createExportHandler({ store: studio.store, scratchFolder: studio.folder });
  const result = await work(task, { signal, progress: (share) => shares.push(share) });
  if (result.kind !== "export") throw new Error("not an export");
  return { file: result.file, shares };
}

async function failure(work: Promise<unknown>): Promise<AppError> {
  try {
    await work;
  } catch (error) {
    return AppError.from(error);
  }
  throw new Error("it should have failed");
}

describe("the export handler", () => {
  it("writes the programme into the store, named by its content, with its timeline", async () => {
    const { file, shares } = await exportAs("wav", await putPlan());
    // 0.5 + 1 + 0.25 + 0.5 + 0.5 s.
    expect(file.lengthSamples).toBe(2.75 * sampleRate);
    const content = await studio.store.get(file.objectKey);
    expect(createHash("sha256").update(content).digest("hex")).toBe(file.sha256);
    expect(file.objectKey).toBe(`exports/${file.sha256}.wav`);
    expect(content).toHaveLength(file.sizeBytes);
    expect(file.loudnessLufs).toBeCloseTo(-19, 0);
    const timeline = parseJson(await studio.store.get(file.timelineKey)) as Timeline;
    expect(timeline.lengthSamples).toBe(2.75 * sampleRate);
    const [s1, s2] = timeline.documents[0]?.segments ?? [];
    expect([s1?.startSamples, s1?.endSamples]).toEqual([12_000, 36_000]);
    expect(s1?.words).toEqual([[12_100, 12_900]]);
    expect(s2?.startSamples).toBe(42_000);
    expect(shares.at(-1)).toBeGreaterThan(0.9);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(await readdir(studio.folder)).not.toContainEqual(expect.stringMatching(/\.wav$/u));
  });

  it.each(["m4b", "mp3", "flac"] as const)("writes %s", async (format) => {
    const { file } = await exportAs(format, await putPlan());
    expect(await studio.store.head(file.objectKey)).toMatchObject({ sizeBytes: file.sizeBytes });
    expect(file.objectKey.endsWith(`.${format}`)).toBe(true);
  });

  it("hides no gap: a take that is not there ends the export as incomplete", async () => {
    const plan = await putPlan();
    await studio.store.delete(["audio/tone-1.wav"]);
    const error = await failure(exportAs("wav", plan));
    expect(error).toMatchObject({ code: "incomplete", retryable: false });
    expect(error.cure).toMatch(/Convert/u);
  });

  it("takes audio out of the store that is not what its name says, so that it can be spoken anew", async () => {
    const audioKey = `audio/${createHash("sha256").update("other bytes").digest("hex")}.wav`;
    await studio.store.put(audioKey, encodeWav(new Float32Array(sampleRate), sampleRate));
    const clips = [{ audioKey, startSamples: 0, endSamples: sampleRate }];
    const segments = [{ segmentId: "s1", clips, words: [], pauseMs: 0 }];
    const plan = await putPlan({ documents: [{ documentId: "d1", title: "One", segments }] });
    expect(await failure(exportAs("wav", plan))).toMatchObject({ code: "incomplete", retryable: false });
    expect(await studio.store.head(audioKey)).toBeUndefined();
  });

  it("finds all damaged audio of a plan at once, and leaves what is whole", async () => {
    const whole = encodeWav(new Float32Array(sampleRate).fill(0.1), sampleRate);
    const audioKey = (content: Uint8Array | string): string =>
      `audio/${createHash("sha256").update(content).digest("hex")}.wav`;
    const keys = [audioKey("one"), audioKey(whole), audioKey("two"), audioKey("three")];
    for (const key of keys) await studio.store.put(key, whole);
    const segments = keys.map((key, at) => ({
      segmentId: `s${at}`,
      clips: [{ audioKey: key, startSamples: 0, endSamples: sampleRate }],
      words: [],
      pauseMs: 0,
    }));
    const plan = await putPlan({ documents: [{ documentId: "d1", title: "One", segments }] });
    expect(await failure(exportAs("wav", plan))).toMatchObject({ code: "incomplete" });
    const there = await Promise.all(keys.map(async (key) => (await studio.store.head(key)) !== undefined));
    expect(there).toEqual([false, true, false, false]);
  });

  it("refuses a plan that it cannot read, and one that is not there", async () => {
    await studio.store.put("plans/bad.json", new TextEncoder().encode('{"v":2}'));
    expect(await failure(exportAs("wav", "plans/bad.json"))).toMatchObject({ code: "internal" });
    expect(await failure(exportAs("wav", "plans/none.json"))).toMatchObject({ code: "not-found" });
  });

  it("stops when it is cancelled and leaves nothing", async () => {
    const plan = await putPlan();
    const before = await readdir(studio.folder);
    expect(await failure(exportAs("m4b", plan, AbortSignal.abort()))).toMatchObject({ code: "cancelled" });
    expect(await readdir(studio.folder)).toEqual(before);
  });

  it("gives a WAV that decodes to the plan's length", async () => {
    const { file } = await exportAs("flac", await putPlan());
    expect(file.lengthSamples).toBe(2.75 * sampleRate);
    const wav = await exportAs("wav", await putPlan());
    const content = await studio.store.get(wav.file.objectKey);
    // The programme's WAV may carry tags after its samples, which the strict reader passes over by their size.
    expect(decodeWav(content).pcm).toHaveLength(2.75 * sampleRate);
  });
});

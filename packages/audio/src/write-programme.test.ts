import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clip } from "@katari/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLoudnessMeter } from "./loudness/loudness-meter.ts";
import { makePlan, readSpeech, sine } from "./testing/signals.ts";
import { programmeFormats, writeProgramme, type ProgrammeFormat } from "./write-programme.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "katari-programme-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const plan = makePlan({ documents: 3, segments: 1, clipSamples: (i) => 30_000 + i * 511 });

/** Files in the test's folder that this process holds open. */
const openFiles = (): string[] =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(folder) ? [target] : [];
    } catch {
      return [];
    }
  });
const workers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === "Worker" || name === "MessagePort").length;

describe("writing a programme", () => {
  it("makes one WAV of three segments, with one header and the chapters after the sound", async () => {
    const path = join(folder, "one.wav");
    const written = await writeProgramme({ format: "wav", plan, readClip: readSpeech, path });
    const bytes = readFileSync(path);
    expect(written.sizeBytes).toBe(bytes.length);
    expect(bytes.toString("latin1").split("RIFF")).toHaveLength(2);
    expect(bytes.readUInt32LE(4) + 8).toBe(bytes.length);
    expect(bytes.readUInt32LE(40)).toBe(written.lengthSamples * 2);
    const cues = bytes.indexOf("cue ", 44 + written.lengthSamples * 2, "latin1");
    expect(bytes.readUInt32LE(cues + 8)).toBe(3);
    // Position of the second cue point: 24 bytes each, position 4 bytes in.
    expect(bytes.readUInt32LE(cues + 12 + 24 + 4)).toBe(written.timeline.documents[1]?.startSamples);
  });

  it("brings any level to the target", async () => {
    for (const level of [0.01, 0.9]) {
      const readClip = (clip: Clip) => Promise.resolve(sine(1000, level, clip.endSamples / 24_000, 24_000));
      const written = await writeProgramme({
        format: "wav",
        plan: makePlan({ documents: 1, segments: 2, clipSamples: () => 48_000 }),
        readClip,
        path: join(folder, "level.wav"),
      });
      expect(Math.abs(written.loudnessLufs + 19)).toBeLessThan(0.1);
      expect(written.truePeakDbtp).toBeLessThanOrEqual(-3);
    }
  });

  it("makes up for what the limiter takes away, also where it has little to do", async () => {
    // Clicks of 2 ms over a hum, four times a second: the clicks carry a good part of the loudness.
    const click = (i: number) => (i % 6000 < 48 ? Math.sin((Math.PI * (i % 6000)) / 8) : 0.2 * Math.sin(i / 12));
    const pcm = Float32Array.from({ length: 96_000 }, (_, i) => 0.5 * click(i));
    const source = createLoudnessMeter(24_000);
    source.push(pcm);
    const plainGainDb = -19 - source.result().integratedLufs;
    const written = await writeProgramme({
      format: "wav",
      plan: makePlan({ documents: 1, segments: 1, clipSamples: () => pcm.length }),
      readClip: () => Promise.resolve(pcm),
      path: join(folder, "clicks.wav"),
    });
    expect(written.gainDb).toBeGreaterThan(plainGainDb + 0.1);
    expect(Math.abs(written.loudnessLufs + 19)).toBeLessThan(0.1);
    expect(written.truePeakDbtp).toBeLessThanOrEqual(-3);
  });

  it.each(programmeFormats)("writes the same bytes each time (%s)", async (format) => {
    const cover = { mediaType: "image/png" as const, bytes: Uint8Array.of(1, 2, 3) };
    const write = (name: string) =>
      writeProgramme({ format, plan, readClip: readSpeech, cover, path: join(folder, `${name}.${format}`) });
    const first = await write("a");
    const second = await write("b");
    expect(second.sha256).toBe(first.sha256);
    expect((await stat(join(folder, `a.${format}`))).size).toBe(first.sizeBytes);
  });

  it("tells progress that rises to 1", async () => {
    const shares: number[] = [];
    await writeProgramme({
      format: "flac",
      plan,
      readClip: readSpeech,
      path: join(folder, "progress.flac"),
      onProgress: (share) => shares.push(share),
    });
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBeCloseTo(1, 6);
  });

  it.each(programmeFormats)("leaves no open file and no thread behind after an abort (%s)", async (format) => {
    const control = new AbortController();
    const writing = writeProgramme({
      format,
      plan: makePlan({ documents: 1, segments: 20, clipSamples: () => 24_000 }),
      readClip: readSpeech,
      path: join(folder, `aborted.${format}`),
      onProgress: (share) => {
        if (share > 0.6) control.abort();
      },
      signal: control.signal,
    });
    await expect(writing).rejects.toMatchObject({ code: "cancelled" });
    expect(openFiles()).toEqual([]);
    await waitFor(() => workers() <= before);
  });
  const before = workers();

  it("says what is wrong when nothing can be heard", async () => {
    const readClip = (clip: Clip) => Promise.resolve(new Float32Array(clip.endSamples));
    const writing = writeProgramme({ format: "m4b", plan, readClip, path: join(folder, "silent.m4b") });
    await expect(writing).rejects.toMatchObject({ code: "audio-suspect" });
  });

  it("passes on what the file system says", async () => {
    const writing = writeProgramme({ format: "wav", plan, readClip: readSpeech, path: join(folder, "no", "a.wav") });
    await expect(writing).rejects.toMatchObject({ code: "not-found" });
  });

  it.each(["m4b", "flac"] satisfies ProgrammeFormat[])("refuses a rate that %s does not have", async (format) => {
    const writing = writeProgramme({
      format,
      plan: makePlan({ documents: 1, segments: 1, clipSamples: () => 40_000, sampleRate: 23_456 }),
      readClip: readSpeech,
      path: join(folder, `rate.${format}`),
    });
    await expect(writing).rejects.toMatchObject({ code: "unsupported-format" });
    expect(openFiles()).toEqual([]);
  });
});

async function waitFor(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(holds()).toBe(true);
}

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ffmpegLoudness, lacks } from "../testing/independent-readers.ts";
import { concatenate, createNoise, sine, syntheticSpeech } from "../testing/signals.ts";
import { decodeWav, encodeWav } from "../wav.ts";
import { createLoudnessMeter } from "./loudness-meter.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "katari-loudness-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const noise = createNoise(11);
const signals: readonly (readonly [string, (rate: number) => Float32Array])[] = [
  ["speech", (rate) => syntheticSpeech("meter", rate * 12, rate)],
  [
    "quiet and loud speech",
    (rate) =>
      concatenate(
        [0.05, 0.8, 0.2, 1.4].map((gain, i) => syntheticSpeech(`m${i}`, rate * 5, rate).map((value) => value * gain)),
      ),
  ],
  ["a low tone", (rate) => sine(70, 0.7, 8, rate)],
  ["noise", (rate) => Float32Array.from({ length: rate * 8 }, () => noise() * 0.3)],
];

describe("loudness beside ffmpeg's ebur128", () => {
  beforeEach(({ skip }) => skip(lacks("ffmpeg"), "ffmpeg is not installed"));
  it.each([24_000, 48_000].flatMap((rate) => signals.map(([name, make]) => [name, rate, make] as const)))(
    "agrees on %s at %i Hz",
    async (name, rate, make) => {
      const bytes = encodeWav(make(rate), rate);
      const path = join(folder, `${name}-${rate}.wav`);
      await writeFile(path, bytes);
      const theirs = ffmpegLoudness(path);
      const meter = createLoudnessMeter(rate);
      meter.push(decodeWav(bytes).pcm);
      const ours = meter.result();
      expect(Math.abs(ours.integratedLufs - theirs.integratedLufs)).toBeLessThan(0.05);
      expect(Math.abs(ours.rangeLu - theirs.rangeLu)).toBeLessThan(0.1);
      expect(Math.abs(ours.truePeakDbtp - theirs.truePeakDbtp)).toBeLessThan(0.3);
    },
  );
});

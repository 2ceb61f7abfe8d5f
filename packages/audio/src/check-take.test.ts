import { describe, expect, it } from "vitest";
import { checkTake } from "./check-take.ts";
import { concatenate, sine } from "./testing/signals.ts";

const sampleRate = 24_000;
const voice = sine(200, 0.4, 1, sampleRate);
const part = (startSamples: number, endSamples: number, symbols?: number) => ({
  startSamples,
  endSamples,
  words: [[startSamples, endSamples]],
  ...(symbols === undefined ? {} : { symbols }),
});
const check = (pcm: Float32Array, parts = [part(0, pcm.length)]) => checkTake({ pcm, sampleRate, parts }).checks;

describe("checking a take", () => {
  it("has nothing against a clean one and knows its level", () => {
    const checks = check(voice, [part(0, voice.length, 14)]);
    expect(checks.suspicions).toEqual([]);
    expect(checks.peak).toBeCloseTo(0.4, 4);
    // A sine's RMS is its peak ÷ √2: 20 log10(0.4 ÷ √2) = −10.97 dB.
    expect(checks.levelDb).toBeCloseTo(-10.97, 1);
  });

  it("says where each part sounds", () => {
    const pcm = concatenate([new Float32Array(12_000), voice, new Float32Array(12_000), voice]);
    const { sounds } = checkTake({ pcm, sampleRate, parts: [part(0, 42_000), part(42_000, pcm.length)] });
    // The first sine from 12,000 to 36,000, the second from 48,000 to the end; frames are 240 samples every 120.
    for (const [at, [start, end]] of (
      [
        [12_000, 36_000],
        [48_000, 72_000],
      ] as const
    ).entries()) {
      expect(Math.abs((sounds[at]?.[0] ?? 0) - start)).toBeLessThanOrEqual(240);
      expect(Math.abs((sounds[at]?.[1] ?? 0) - end)).toBeLessThanOrEqual(240);
    }
  });

  it.each([
    ["no samples", new Float32Array()],
    ["a NaN", voice.map((value, i) => (i === 77 ? Number.NaN : value))],
    ["an infinity", voice.map((value, i) => (i === 77 ? -Infinity : value))],
    ["nothing but silence", new Float32Array(1000)],
    ["nothing but a trace of noise", new Float32Array(1000).fill(0.0005)],
  ])("refuses %s as a fault that may pass", (_name, pcm) => {
    expect(() => check(pcm)).toThrowError(expect.objectContaining({ code: "audio-suspect", retryable: true }));
  });

  it("suspects clipping, but not one sample at full scale", () => {
    expect(check(voice.map((value) => Math.max(-1, Math.min(1, value * 4)))).suspicions).toEqual(["clipping"]);
    expect(check(voice.map((value, i) => (i === 30 ? 1 : value))).suspicions).toEqual([]);
  });

  it("suspects an offset", () => {
    expect(check(voice.map((value) => value + 0.05)).suspicions).toEqual(["dc-offset"]);
  });

  it("suspects a part with words in which nothing sounds, and accepts a part without words", () => {
    const pcm = concatenate([voice, new Float32Array(12_000), voice]);
    const parts = [part(0, 24_000), part(24_000, 36_000), part(36_000, 60_000)];
    expect(check(pcm, parts).suspicions).toEqual(["silent-part"]);
    const pause = { startSamples: 24_000, endSamples: 36_000, words: [] };
    expect(check(pcm, [part(0, 24_000), pause, part(36_000, 60_000)]).suspicions).toEqual([]);
  });

  it("suspects speech that is far too fast or too slow for its symbols", () => {
    expect(check(voice, [part(0, voice.length, 100)]).suspicions).toEqual(["too-fast"]);
    const long = concatenate([voice, voice, voice, voice]);
    expect(check(long, [part(0, long.length, 9)]).suspicions).toEqual(["too-slow"]);
    expect(check(long, [part(0, long.length, 3)]).suspicions).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { findSound } from "./find-sound.ts";
import { amplitude, concatenate, createNoise, sine } from "./testing/signals.ts";

const sampleRate = 24_000;
const noise = (seconds: number, db: number, seed = 1) => {
  const next = createNoise(seed);
  // Uniform noise of ± a has an RMS of a ÷ √3.
  return Float32Array.from({ length: seconds * sampleRate }, () => next() * 2 * Math.sqrt(3) * amplitude(db));
};
const vowel = sine(200, 0.3, 0.5, sampleRate);
const isWithin = (value: number, from: number, to: number) => value >= from && value <= to;

describe("finding sound", () => {
  it("finds a vowel between digital silences, a frame off at most", () => {
    const pcm = concatenate([new Float32Array(6000), vowel, new Float32Array(6000)]);
    const [start, end] = findSound(pcm, 0, pcm.length, sampleRate);
    expect(isWithin(start, 6000 - 240, 6000)).toBe(true);
    expect(isWithin(end, 18_000, 18_000 + 240)).toBe(true);
  });

  it("looks above the take's own noise", () => {
    const hiss = noise(1.5, -60);
    const pcm = hiss.map((value, i) => value + (i >= 12_000 && i < 24_000 ? (vowel[i - 12_000] ?? 0) : 0));
    const [start, end] = findSound(pcm, 0, pcm.length, sampleRate);
    expect(isWithin(start, 12_000 - 240, 12_000)).toBe(true);
    expect(isWithin(end, 24_000, 24_000 + 240)).toBe(true);
  });

  it("keeps a soft s before the vowel and after it", () => {
    // Sibilants of speech models lie 25–35 dB under the vowel; here −48 dBFS under −13.5, above noise of −70.
    const s = noise(0.12, -48, 5);
    const sound = concatenate([s, vowel, s]);
    const quiet = noise(0.4, -70, 9);
    const pcm = concatenate([quiet, sound, quiet]);
    const [start, end] = findSound(pcm, 0, pcm.length, sampleRate);
    expect(isWithin(start, quiet.length - 240, quiet.length)).toBe(true);
    expect(isWithin(end, quiet.length + sound.length, quiet.length + sound.length + 240)).toBe(true);
  });

  it("keeps a range whole that has no silence", () => {
    const [start, end] = findSound(vowel, 0, vowel.length, sampleRate);
    expect([start, end]).toEqual([0, vowel.length]);
  });

  it("stays inside the range that it was given", () => {
    const pcm = concatenate([vowel, vowel, vowel]);
    expect(findSound(pcm, 3000, 9000, sampleRate)).toEqual([3000, 9000]);
  });

  it("gives an empty range for silence, for a constant and for nothing", () => {
    expect(findSound(new Float32Array(5000), 100, 5000, sampleRate)).toEqual([100, 100]);
    expect(findSound(new Float32Array(5000).fill(0.25), 0, 5000, sampleRate)).toEqual([0, 0]);
    expect(findSound(vowel, 50, 50, sampleRate)).toEqual([50, 50]);
  });
});

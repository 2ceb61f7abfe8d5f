import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { concatenate, createNoise, firstDifference, sine, syntheticSpeech } from "../testing/signals.ts";
import { createLoudnessMeter } from "./loudness-meter.ts";
import { createTruePeakLimiter } from "./true-peak-limiter.ts";

function limit(pcm: Float32Array, ceilingDbtp: number, sampleRate = 24_000, blocks: readonly number[] = [4096]) {
  const limiter = createTruePeakLimiter({ sampleRate, ceilingDbtp });
  const parts: Float32Array[] = [];
  let at = 0;
  for (let i = 0; at < pcm.length; i++) {
    const size = blocks[i % blocks.length] ?? 1;
    parts.push(limiter.push(pcm.subarray(at, at + size)));
    at += size;
  }
  return concatenate([...parts, limiter.flush()]);
}

const truePeak = (pcm: Float32Array, sampleRate = 24_000) => {
  const meter = createLoudnessMeter(sampleRate);
  meter.push(pcm);
  return meter.result().truePeakDbtp;
};

describe("true-peak limiter", () => {
  it("gives exactly as many samples as it takes, in blocks of any size, and the same ones", () => {
    const speech = syntheticSpeech("limit", 9000).map((value) => value * 6);
    const whole = limit(speech, -3, 24_000, [speech.length]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 6 }), (blocks) => {
        const out = limit(speech, -3, 24_000, blocks);
        expect(out.length).toBe(speech.length);
        expect(Math.max(...out.map((value, i) => Math.abs(value - (whole[i] ?? 9))))).toBeLessThan(1e-6);
      }),
      { numRuns: 20 },
    );
    for (const length of [0, 1, 100, 272, 273]) expect(limit(new Float32Array(length), -3)).toHaveLength(length);
  });

  it("passes what is below the ceiling bit for bit, at its own place", () => {
    const speech = syntheticSpeech("pass", 20_000);
    expect(firstDifference(limit(speech, -1), speech)).toBe(-1);
  });

  it("is exact again soon after a peak", () => {
    const speech = syntheticSpeech("after", 60_000);
    const pcm = speech.map((value, i) => (i === 20_000 ? 1.5 : value));
    const out = limit(pcm, -1);
    expect(firstDifference(out.subarray(0, 19_700), speech.subarray(0, 19_700))).toBe(-1);
    expect(firstDifference(out.subarray(45_000), speech.subarray(45_000))).toBe(-1);
    expect(out[20_000]).toBeLessThanOrEqual(10 ** (-1 / 20));
  });

  it("holds the ceiling for loud speech, peaks between samples and noise", () => {
    const next = createNoise(3);
    const signals = [
      syntheticSpeech("loud", 48_000).map((value) => value * 5),
      sine(6000, 1.2, 1, 24_000, Math.PI / 4),
      Float32Array.from({ length: 24_000 }, () => next() * 3),
    ];
    for (const signal of signals) expect(truePeak(limit(signal, -3))).toBeLessThan(-3 + 0.1);
  });

  it("has a gain without steps", () => {
    const tone = sine(100, 1, 1, 24_000).map((value, i) => (i > 8000 && i < 16_000 ? value : value * 0.1));
    const out = limit(tone, -6);
    const gains = Array.from(out, (value, i) => (Math.abs(tone[i] ?? 0) > 0.01 ? value / (tone[i] ?? 1) : Number.NaN));
    let steepest = 0;
    gains.forEach((gain, i) => {
      const change = Math.abs(gain - (gains[i - 1] ?? Number.NaN));
      if (change > steepest) steepest = change;
    });
    // From 1 to 0.5 over 5 ms (120 samples) by a triangle: at most twice the mean slope.
    expect(steepest).toBeLessThan((0.5 / 120) * 2.2);
  });
});

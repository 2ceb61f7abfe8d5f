import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createResampler, resampledLength } from "./resampler.ts";
import { concatenate, firstDifference, sine } from "./testing/signals.ts";

function resample(pcm: Float32Array, from: number, to: number, block = 5000): Float32Array {
  const resampler = createResampler(from, to);
  const parts: Float32Array[] = [];
  for (let at = 0; at < pcm.length; at += block) parts.push(resampler.push(pcm.subarray(at, at + block)));
  return concatenate([...parts, resampler.flush()]);
}

describe("resampling", () => {
  it("gives the samples that the ratio says, in blocks of any size, and the same ones", () => {
    const tone = sine(440, 0.5, 0.3, 24_000);
    const whole = resample(tone, 24_000, 44_100, tone.length);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4000 }), (block) => {
        expect(firstDifference(resample(tone, 24_000, 44_100, block), whole)).toBe(-1);
      }),
      { numRuns: 15 },
    );
    // 0.3 s at 44.1 kHz.
    expect(whole).toHaveLength(13_230);
    for (const length of [0, 1, 7, 80, 81])
      expect(resample(new Float32Array(length), 24_000, 44_100)).toHaveLength(resampledLength(length, 24_000, 44_100));
  });

  it.each([
    [24_000, 44_100],
    [22_050, 44_100],
    [16_000, 44_100],
    [44_100, 24_000],
    [48_000, 44_100],
  ])("keeps a tone's level and place from %i to %i Hz", (from, to) => {
    for (const frequency of [100, 1000, 5000]) {
      const out = resample(sine(frequency, 0.5, 0.5, from), from, to);
      const wanted = sine(frequency, 0.5, 0.5, to);
      let worst = 0;
      // Away from the ends, where the tone starts and stops hard.
      for (let i = 400; i < wanted.length - 400; i++)
        worst = Math.max(worst, Math.abs((out[i] ?? 0) - (wanted[i] ?? 0)));
      expect(worst).toBeLessThan(0.5 * 10 ** (-70 / 20));
    }
  });

  it("does not fold what the lower rate cannot hold", () => {
    const out = resample(sine(15_000, 0.5, 0.5, 44_100), 44_100, 24_000).subarray(400, 11_600);
    expect(Math.max(...out.map(Math.abs))).toBeLessThan(0.5 * 10 ** (-80 / 20));
  });

  it("makes no image above the old half rate", () => {
    // An 11 kHz tone at 24 kHz has its image at 13 kHz: correlate the output with that.
    const out = resample(sine(11_000, 0.5, 0.5, 24_000), 24_000, 44_100).subarray(1000, 21_000);
    const level = (frequency: number) => {
      let real = 0;
      let imaginary = 0;
      out.forEach((value, i) => {
        const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / out.length);
        real += value * window * Math.cos((2 * Math.PI * frequency * i) / 44_100);
        imaginary += value * window * Math.sin((2 * Math.PI * frequency * i) / 44_100);
      });
      return Math.hypot(real, imaginary);
    };
    expect(20 * Math.log10(level(13_000) / level(11_000))).toBeLessThan(-70);
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amplitude, concatenate, sine, syntheticSpeech } from "../testing/signals.ts";
import { createLoudnessMeter } from "./loudness-meter.ts";

const measure = (pcm: Float32Array, sampleRate: number) => {
  const meter = createLoudnessMeter(sampleRate);
  for (let at = 0; at < pcm.length; at += 9973) meter.push(pcm.subarray(at, at + 9973));
  return meter.result();
};

/** Sines of 1 kHz as EBU Tech 3341 and 3342 describe their cases: [level of the peak in dBFS, seconds]. */
const tones = (sampleRate: number, ...parts: (readonly [number, number])[]) =>
  concatenate(parts.map(([db, seconds]) => sine(1000, amplitude(db), seconds, sampleRate)));

// The cases are stereo with the same signal in both channels, which is 3.01 LU more than one channel of weight 1.
const monoLu = -10 * Math.log10(2);

describe("loudness by EBU Tech 3341, one channel", () => {
  it.each([24_000, 44_100, 48_000])("measures its cases at %i Hz", (rate) => {
    const cases: readonly (readonly [number, readonly (readonly [number, number])[]])[] = [
      [-23, [[-23, 20]]],
      [-33, [[-33, 20]]],
      [
        -23,
        [
          [-36, 10],
          [-23, 60],
          [-36, 10],
        ],
      ],
      [
        -23,
        [
          [-72, 10],
          [-36, 10],
          [-23, 60],
          [-36, 10],
          [-72, 10],
        ],
      ],
      [
        -23,
        [
          [-26, 20],
          [-20, 20.1],
          [-26, 20],
        ],
      ],
    ];
    for (const [lufs, parts] of cases)
      expect(Math.abs(measure(tones(rate, ...parts), rate).integratedLufs - (lufs + monoLu))).toBeLessThan(0.1);
  });

  it("gives −3.01 LUFS for a full-scale sine of 997 Hz in one channel, as BS.1770-4 says", () => {
    expect(measure(sine(997, 1, 10, 48_000), 48_000).integratedLufs).toBeCloseTo(-3.01, 1);
  });

  it("finds nothing in silence and in less than one block", () => {
    expect(measure(new Float32Array(48_000), 24_000)).toMatchObject({
      integratedLufs: -Infinity,
      rangeLu: 0,
      truePeakDbtp: -Infinity,
    });
    expect(measure(sine(1000, 0.5, 0.3, 24_000), 24_000).integratedLufs).toBe(-Infinity);
  });

  it("rises by exactly the gain", () => {
    const speech = syntheticSpeech("gain", 24_000 * 8);
    const before = measure(speech, 24_000).integratedLufs;
    fc.assert(
      fc.property(fc.integer({ min: -15, max: 6 }), (gainDb) => {
        const after = measure(
          speech.map((value) => value * amplitude(gainDb)),
          24_000,
        ).integratedLufs;
        expect(Math.abs(after - before - gainDb)).toBeLessThan(0.02);
      }),
      { numRuns: 5 },
    );
  });
});

describe("loudness range by EBU Tech 3342", () => {
  it.each([
    [
      10,
      [
        [-20, 20],
        [-30, 20],
      ],
    ],
    [
      5,
      [
        [-20, 20],
        [-15, 20],
      ],
    ],
    [
      20,
      [
        [-40, 20],
        [-20, 20],
      ],
    ],
    [
      15,
      [
        [-50, 20],
        [-35, 20],
        [-20, 20],
        [-35, 20],
        [-50, 20],
      ],
    ],
  ] as const)("gives %i LU ± 1", (lu, parts) => {
    expect(Math.abs(measure(tones(24_000, ...parts), 24_000).rangeLu - lu)).toBeLessThan(1);
  });
});

describe("true peak by EBU Tech 3341", () => {
  // Cases 15 to 19: frequency as a part of the rate, phase in degrees, amplitude, wanted dBTP; + 0.2 / − 0.4.
  it.each([
    [4, 0, 0.5, -6],
    [4, 45, 0.5, -6],
    [6, 60, 0.5, -6],
    [8, 67.5, 0.5, -6],
    [4, 45, 1.41, 3],
  ])("of a sine of rate ÷ %i with phase %f° and amplitude %f is %f dBTP", (part, phase, level, dbtp) => {
    for (const rate of [24_000, 48_000]) {
      const tone = sine(rate / part, level, 1, rate, (phase * Math.PI) / 180);
      // The standard's signals begin and end softly; a hard start would itself overshoot.
      const soft = tone.map((value, i) => value * Math.min(1, i / 1000, (tone.length - i) / 1000));
      const { truePeakDbtp } = measure(soft, rate);
      expect(truePeakDbtp).toBeGreaterThan(dbtp - 0.4);
      expect(truePeakDbtp).toBeLessThan(dbtp + 0.2);
    }
  });
});

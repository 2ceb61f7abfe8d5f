import { describe, expect, it } from "vitest";
import { highPassCoefficients, shelfCoefficients } from "./k-weighting.ts";

/** Power response in dB of the two filters at a frequency. */
function responseDb(sampleRate: number, frequency: number): number {
  const w = (2 * Math.PI * frequency) / sampleRate;
  const power = ([c0, c1, c2]: readonly [number, number, number]) => {
    const real = c0 + c1 * Math.cos(w) + c2 * Math.cos(2 * w);
    const imaginary = c1 * Math.sin(w) + c2 * Math.sin(2 * w);
    return real * real + imaginary * imaginary;
  };
  return [shelfCoefficients(sampleRate), highPassCoefficients(sampleRate)].reduce(
    (sum, { b, a }) => sum + 10 * Math.log10(power(b) / power([1, a[0], a[1]])),
    0,
  );
}

describe("K-weighting", () => {
  it("has the coefficients that BS.1770-4 prints for 48 kHz", () => {
    // Tables 1 and 2 of Annex 1.
    const shelf = shelfCoefficients(48_000);
    [1.53512485958697, -2.69169618940638, 1.19839281085285].forEach((value, i) =>
      expect(shelf.b[i]).toBeCloseTo(value, 10),
    );
    [-1.69065929318241, 0.73248077421585].forEach((value, i) => expect(shelf.a[i]).toBeCloseTo(value, 10));
    const highPass = highPassCoefficients(48_000);
    expect(highPass.b).toEqual([1, -2, 1]);
    [-1.99004745483398, 0.99007225036621].forEach((value, i) => expect(highPass.a[i]).toBeCloseTo(value, 10));
  });

  it.each([16_000, 22_050, 24_000, 44_100])("weighs speech at %i Hz as at 48 kHz", (sampleRate) => {
    for (const frequency of [60, 100, 300, 1000, 2000, 4000])
      expect(Math.abs(responseDb(sampleRate, frequency) - responseDb(48_000, frequency))).toBeLessThan(0.15);
  });
});

import { createSampleQueue } from "./sample-queue.ts";
import { overshootBound, peakAfter, peakReachSamples } from "./true-peak.ts";

export interface TruePeakLimiterOptions {
  readonly sampleRate: number;
  readonly ceilingDbtp: number;
  /** How long before a peak the gain begins to fall. 5 ms does not dull consonants and is not heard as pumping. */
  readonly lookaheadMs?: number;
}

/** Exactly as many samples come out of all `push` and the one `flush` as went in, each at its own place. */
export interface TruePeakLimiter {
  push(pcm: Float32Array): Float32Array;
  flush(): Float32Array;
}

const releaseMs = 60;
const runSamples = 64;

/**
 * A look-ahead limiter on the true peak. For each sample the gain that its peak (4× oversampled) needs; of that the
 * minimum over ± the look-ahead; a slow release; then a weighted mean over ± the look-ahead. Every value that the mean
 * at a sample takes in is at most what that sample needs, so the smooth gain never lets it through. Where nothing is
 * over the ceiling, samples pass unchanged, bit for bit.
 */
export function createTruePeakLimiter(options: TruePeakLimiterOptions): TruePeakLimiter {
  const { sampleRate, ceilingDbtp, lookaheadMs = 5 } = options;
  const ceiling = 10 ** (ceilingDbtp / 20);
  const reach = Math.max(1, Math.round((lookaheadMs * sampleRate) / 1000));
  const releaseStep = 1 - Math.exp(-1000 / (releaseMs * sampleRate));
  const kernel = hann(reach);
  const input = createSampleQueue();
  const needed = createSampleQueue();
  const released = createSampleQueue();
  // Index of the last value below 1: everything further away than the look-ahead needs no arithmetic.
  let lastNeeded = -Infinity;
  let lastReleased = -Infinity;
  let release = 1;
  let taken = 0;
  let given = 0;

  // The input stands `peakReachSamples` later in its queue, so that there is silence before its first sample.
  input.append(new Float32Array(peakReachSamples));

  const findNeeded = () => {
    const end = input.end - peakReachSamples;
    while (needed.end + peakReachSamples < end) {
      const first = needed.end + peakReachSamples;
      const stop = Math.min(first + runSamples, end);
      const view = input.view(first - peakReachSamples, stop + peakReachSamples);
      let largest = 0;
      for (const value of view) largest = Math.max(largest, Math.abs(value));
      const harmless = largest * overshootBound <= ceiling;
      // A peak between two samples counts for both of them.
      let before = harmless ? 0 : peakAfter(view, peakReachSamples - 1);
      for (let i = 0; i < stop - first; i++) {
        const after = harmless ? 0 : peakAfter(view, i + peakReachSamples);
        const peak = Math.max(before, after);
        before = after;
        if (peak > ceiling) lastNeeded = needed.end;
        needed.push(peak > ceiling ? ceiling / peak : 1);
      }
    }
  };
  const findReleased = () => {
    while (released.end + reach < needed.end) {
      const at = released.end;
      let lowest = 1;
      if (lastNeeded >= at - reach)
        for (let i = at - reach; i <= at + reach; i++) lowest = Math.min(lowest, needed.at(i, 1));
      release = Math.min(lowest, release + (1 - release) * releaseStep);
      if (release > 0.99999) release = 1;
      if (release < 1) lastReleased = at;
      released.push(release);
    }
  };
  const give = (end: number): Float32Array => {
    const out = new Float32Array(Math.max(0, end - given));
    for (let i = 0; i < out.length; i++) {
      const at = given + i;
      const sample = input.at(at + peakReachSamples, 0);
      if (lastReleased < at - reach) {
        out[i] = sample;
        continue;
      }
      let gain = 0;
      for (let k = -reach; k <= reach; k++) gain += (kernel[k + reach] ?? 0) * released.at(at + k, 1);
      out[i] = sample * gain;
    }
    given += out.length;
    input.dropBefore(given);
    needed.dropBefore(released.end - reach);
    released.dropBefore(given - reach);
    return out;
  };
  const run = (pcm: Float32Array, limit: number): Float32Array => {
    input.append(pcm);
    findNeeded();
    findReleased();
    return give(Math.min(limit, released.end - reach));
  };
  return {
    push(pcm) {
      taken += pcm.length;
      return run(pcm, taken);
    },
    flush() {
      return run(new Float32Array(peakReachSamples + reach * 2 + 2), taken);
    },
  };
}

/** Weights of a mean over −reach … reach that add up to 1. */
function hann(reach: number): Float64Array {
  const weights = Float64Array.from(
    { length: reach * 2 + 1 },
    (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * (i + 1)) / (reach + 1)),
  );
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

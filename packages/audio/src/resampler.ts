import { AppError } from "@katari/core";
import { kaiserSinc } from "./loudness/kaiser-sinc.ts";

export interface Resampler {
  push(pcm: Float32Array): Float32Array;
  flush(): Float32Array;
}

const zeroCrossings = 24;
const beta = 10;
/** Share of the lower Nyquist frequency that is kept; the rest is the way down of the filter. */
const passShare = 0.94;

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** Number of samples that `lengthSamples` become at another rate. */
export const resampledLength = (lengthSamples: number, fromRate: number, toRate: number): number =>
  Math.round((lengthSamples * toRate) / fromRate);

/**
 * Changes the sample rate of a stream by the exact ratio of the two rates: a polyphase filter, a sinc under a Kaiser
 * window (24 zero crossings a side, over 90 dB down). The delay is compensated: output sample k stands at input time
 * k × from ÷ to, and `resampledLength` samples come out in all. Throws `invalid-argument` for rates that are not whole.
 */
export function createResampler(fromRate: number, toRate: number): Resampler {
  if (!Number.isInteger(fromRate) || !Number.isInteger(toRate) || fromRate <= 0 || toRate <= 0)
    throw new AppError("invalid-argument", `Cannot go from ${fromRate} to ${toRate} samples a second.`);
  const divisor = greatestDivisor(fromRate, toRate);
  const up = toRate / divisor;
  const down = fromRate / divisor;
  const cutoff = Math.min(1, toRate / fromRate) * passShare;
  const reach = Math.ceil(zeroCrossings / cutoff);
  const phases = Array.from({ length: up }, (_, phase) => {
    const taps = Float64Array.from({ length: reach * 2 }, (_unused, tap) =>
      kaiserSinc(tap - (reach - 1) - phase / up, reach, beta, cutoff),
    );
    const sum = taps.reduce((a, b) => a + b, 0);
    return taps.map((tap) => tap / sum);
  });
  let buffer = new Float32Array(reach);
  // Input index of buffer[0]; there is silence before the first sample.
  let base = -reach;
  let taken = 0;
  let given = 0;

  const run = (pcm: Float32Array, limit: number): Float32Array => {
    const joined = new Float32Array(buffer.length + pcm.length);
    joined.set(buffer);
    joined.set(pcm, buffer.length);
    const end = base + joined.length;
    // The last output whose taps are all there: floor(k × down ÷ up) + reach < end.
    const possible = Math.floor(((end - reach) * up - 1) / down) + 1;
    const count = Math.max(0, Math.min(possible, limit) - given);
    const out = new Float32Array(count);
    for (let i = 0; i < count; i++) {
      const at = (given + i) * down;
      const whole = Math.floor(at / up);
      const taps = phases[at - whole * up] ?? new Float64Array();
      const first = whole - (reach - 1) - base;
      let sum = 0;
      for (let tap = 0; tap < taps.length; tap++) sum += (taps[tap] ?? 0) * (joined[first + tap] ?? 0);
      out[i] = sum;
    }
    given += count;
    const keepFrom = Math.max(base, Math.floor((given * down) / up) - reach);
    buffer = joined.slice(keepFrom - base);
    base = keepFrom;
    return out;
  };
  return {
    push(pcm) {
      taken += pcm.length;
      return run(pcm, Infinity);
    },
    flush() {
      return run(new Float32Array(reach * 2 + 1), resampledLength(taken, fromRate, toRate));
    },
  };
}

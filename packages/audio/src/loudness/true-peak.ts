import { kaiserSinc } from "./kaiser-sinc.ts";

/** Samples on each side that the interpolation looks at. */
export const peakReachSamples = 16;
const factor = 4;
const tapCount = peakReachSamples * 2;

/**
 * 4× oversampling of BS.1770-4 Annex 2 as a polyphase FIR (three phases; the fourth is the sample itself). The kernel
 * is longer than the annex's example (32 taps a phase), since speech models work at 24 kHz and have sound close to half
 * of that.
 */
const phases = Array.from({ length: factor - 1 }, (_, index) => {
  const offset = (index + 1) / factor;
  const taps = Float64Array.from({ length: tapCount }, (_unused, tap) =>
    kaiserSinc(tap - (peakReachSamples - 1) - offset, peakReachSamples, 7),
  );
  const sum = taps.reduce((a, b) => a + b, 0);
  return taps.map((tap) => tap / sum);
});

const [quarter = new Float64Array(), half = new Float64Array()] = phases;
const pairs = tapCount / 2;
// The kernel of ¾ is that of ¼ backwards: both come from one even and one odd sum over pairs of samples.
const quarterEven = quarter.slice(0, pairs).map((tap, i) => (tap + (quarter[tapCount - 1 - i] ?? 0)) / 2);
const quarterOdd = quarter.slice(0, pairs).map((tap, i) => (tap - (quarter[tapCount - 1 - i] ?? 0)) / 2);

const sizeOf = (taps: Float64Array): number => taps.reduce((sum, tap) => sum + Math.abs(tap), 0);
/** What the four samples around the place can add, and what the others in reach can, each times the largest of them. */
const nearBound = Math.max(...phases.map((taps) => sizeOf(taps.subarray(pairs - 2, pairs + 2))));
const farBound = Math.max(...phases.map((taps) => sizeOf(taps) - sizeOf(taps.subarray(pairs - 2, pairs + 2))));

/** Interpolation goes in runs of so many samples: those whose samples are too small for a peak are passed over. */
export const peakRunSamples = 64;

/**
 * Bound for the true peaks from sample `start` up to (not including) `end`: the largest sample that they reach.
 * `cannotExceed` and `peakAbove` take it.
 */
export function largestInReach(buffer: Float32Array, start: number, end: number): number {
  let largest = 0;
  const stop = Math.min(buffer.length, end + peakReachSamples);
  for (let i = Math.max(0, start - peakReachSamples); i < stop; i++) {
    const value = Math.abs(buffer[i] ?? 0);
    if (value > largest) largest = value;
  }
  return largest;
}

/** Whether no true peak in a stretch with this `largestInReach` can be above `limit`. */
export const cannotExceed = (largest: number, limit: number): boolean => largest * (nearBound + farBound) <= limit;

/**
 * Largest absolute value from sample `index` up to (not including) the next one, with the values between them, where it
 * is above `limit`; else that or 0. The buffer must hold `peakReachSamples` on both sides, none above `largest`.
 */
export function peakAbove(buffer: Float32Array, index: number, largest: number, limit: number): number {
  let peak = Math.abs(buffer[index] ?? 0);
  let near = Math.max(peak, Math.abs(buffer[index + 1] ?? 0));
  near = Math.max(near, Math.abs(buffer[index - 1] ?? 0), Math.abs(buffer[index + 2] ?? 0));
  if (near * nearBound + largest * farBound <= limit) return 0;
  const first = index - (peakReachSamples - 1);
  const last = index + peakReachSamples;
  let middle = 0;
  let even = 0;
  let odd = 0;
  for (let tap = 0; tap < pairs; tap++) {
    const a = buffer[first + tap] ?? 0;
    const b = buffer[last - tap] ?? 0;
    const sum = a + b;
    middle += (half[tap] ?? 0) * sum;
    even += (quarterEven[tap] ?? 0) * sum;
    odd += (quarterOdd[tap] ?? 0) * (a - b);
  }
  peak = Math.max(peak, Math.abs(middle), Math.abs(even + odd), Math.abs(even - odd));
  return peak;
}

/** Follows the true peak of a stream. What cannot raise it is not interpolated. */
export function createTruePeakMeter(): { push(pcm: Float32Array): void; result(): number } {
  // Starts with the stream's last samples; before its start and after its end is silence, as a player has it.
  let buffer = new Float32Array(peakReachSamples * 2);
  let peak = 0;
  const scan = (pcm: Float32Array): number => {
    const length = peakReachSamples * 2 + pcm.length;
    if (buffer.length < length) {
      const grown = new Float32Array(length);
      grown.set(buffer.subarray(0, peakReachSamples * 2));
      buffer = grown;
    }
    buffer.set(pcm, peakReachSamples * 2);
    const end = length - peakReachSamples;
    for (let start = peakReachSamples; start < end; start += peakRunSamples) {
      const stop = Math.min(start + peakRunSamples, end);
      const largest = largestInReach(buffer, start, stop);
      if (cannotExceed(largest, peak)) continue;
      for (let i = start; i < stop; i++) {
        const value = peakAbove(buffer, i, largest, peak);
        if (value > peak) peak = value;
      }
    }
    return length;
  };
  return {
    push(pcm) {
      const length = scan(pcm);
      buffer.copyWithin(0, length - peakReachSamples * 2, length);
    },
    result() {
      scan(new Float32Array(peakReachSamples));
      return peak;
    },
  };
}

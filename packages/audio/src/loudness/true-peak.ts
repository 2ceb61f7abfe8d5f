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

/** No interpolated value is above this times the largest sample in reach. */
export const overshootBound = Math.max(...phases.map((taps) => taps.reduce((a, b) => a + Math.abs(b), 0)));

/**
 * Largest absolute value from sample `index` up to (not including) the next one, with the values between them.
 * The buffer must hold `peakReachSamples` on both sides.
 */
export function peakAfter(buffer: Float32Array, index: number): number {
  let peak = Math.abs(buffer[index] ?? 0);
  const first = index - (peakReachSamples - 1);
  for (const taps of phases) {
    let sum = 0;
    for (let tap = 0; tap < tapCount; tap++) sum += (taps[tap] ?? 0) * (buffer[first + tap] ?? 0);
    const value = Math.abs(sum);
    if (value > peak) peak = value;
  }
  return peak;
}

const runSamples = 64;

/** Follows the true peak of a stream. Runs that cannot raise it (by `overshootBound`) are not interpolated. */
export function createTruePeakMeter(): { push(pcm: Float32Array): void; result(): number } {
  // Silence before the start and after the end, as a player has it.
  let history = new Float32Array(peakReachSamples * 2);
  let peak = 0;
  const scan = (buffer: Float32Array) => {
    const end = buffer.length - peakReachSamples;
    for (let start = peakReachSamples; start < end; start += runSamples) {
      const stop = Math.min(start + runSamples, end);
      let largest = 0;
      for (let i = start - peakReachSamples; i < stop + peakReachSamples; i++) {
        const value = Math.abs(buffer[i] ?? 0);
        if (value > largest) largest = value;
      }
      if (largest * overshootBound <= peak) continue;
      for (let i = start; i < stop; i++) {
        const value = peakAfter(buffer, i);
        if (value > peak) peak = value;
      }
    }
  };
  const join = (pcm: Float32Array) => {
    const buffer = new Float32Array(history.length + pcm.length);
    buffer.set(history);
    buffer.set(pcm, history.length);
    return buffer;
  };
  return {
    push(pcm) {
      const buffer = join(pcm);
      scan(buffer);
      history = buffer.slice(buffer.length - peakReachSamples * 2);
    },
    result() {
      scan(join(new Float32Array(peakReachSamples)));
      return peak;
    },
  };
}

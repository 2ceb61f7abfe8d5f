import { cannotExceed, largestInReach, peakAbove, peakReachSamples, peakRunSamples } from "./true-peak.ts";

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

/**
 * A look-ahead limiter on the true peak. For each sample the gain that its peak (4× oversampled) needs; of that the
 * minimum over ± the look-ahead; a slow release; then a triangular mean over ± the look-ahead. Every value that the mean
 * at a sample takes in is at most what that sample needs, so the smooth gain never lets it through. Where nothing is
 * over the ceiling, samples pass unchanged, bit for bit.
 */
export function createTruePeakLimiter(options: TruePeakLimiterOptions): TruePeakLimiter {
  const { sampleRate, ceilingDbtp, lookaheadMs = 5 } = options;
  const ceiling = 10 ** (ceilingDbtp / 20);
  const reach = Math.max(1, Math.round((lookaheadMs * sampleRate) / 1000));
  const follower = createGainFollower(reach, 1 - Math.exp(-1000 / (releaseMs * sampleRate)));
  // Silence before the first sample, as a player has it. `base` is the index of buffer[0] in the stream.
  let buffer = new Float32Array(peakReachSamples);
  let base = -peakReachSamples;
  let next = 0;
  let taken = 0;
  let given = 0;

  const run = (pcm: Float32Array): Float32Array => {
    const joined = new Float32Array(buffer.length + pcm.length);
    joined.set(buffer);
    joined.set(pcm, buffer.length);
    const end = base + joined.length - peakReachSamples;
    const out = new Float32Array(Math.max(0, Math.min(taken, end - reach * 2) - given));
    let filled = 0;
    while (next < end) {
      const stop = Math.min(next + peakRunSamples, end);
      const largest = largestInReach(joined, next - base, stop - base);
      const harmless = cannotExceed(largest, ceiling);
      if (harmless && follower.atRest()) {
        follower.skip(stop - next);
        const from = Math.max(0, next - reach * 2);
        const until = Math.min(stop - reach * 2, from + out.length - filled);
        if (until > from) {
          out.set(joined.subarray(from - base, until - base), filled);
          filled += until - from;
        }
        next = stop;
        continue;
      }
      // A peak between two samples counts for both of them. The one before this run may reach further back.
      const back = Math.max(largest, Math.abs(joined[next - base - 1 - peakReachSamples] ?? 0));
      let before = harmless ? 0 : peakAbove(joined, next - base - 1, back, ceiling);
      for (; next < stop; next++) {
        const after = harmless ? 0 : peakAbove(joined, next - base, largest, ceiling);
        const peak = Math.max(before, after);
        before = after;
        const gain = follower.next(peak > ceiling ? ceiling / peak : 1);
        const sample = next - reach * 2;
        if (sample >= 0 && filled < out.length) out[filled++] = (joined[sample - base] ?? 0) * gain;
      }
    }
    given += filled;
    const keepFrom = Math.max(base, Math.min(next - peakReachSamples, next - reach * 2));
    buffer = joined.slice(keepFrom - base);
    base = keepFrom;
    return out;
  };
  return {
    push(pcm) {
      taken += pcm.length;
      return run(pcm);
    },
    flush() {
      return run(new Float32Array(peakReachSamples + reach * 2));
    },
  };
}

/**
 * Takes the gain that each sample needs and gives, 2 × `reach` samples later, the gain that it gets. All of it in a few
 * operations per sample: the minimum by a monotonic queue, the triangular mean as two running means over reach + 1.
 * At rest, when only gains of 1 are left in reach, `skip` takes any number of samples that need no less at once.
 */
function createGainFollower(
  reach: number,
  releaseStep: number,
): { next(needed: number): number; atRest(): boolean; skip(samples: number): void } {
  const window = reach * 2 + 1;
  const mean = reach + 1;
  const queueValues = new Float64Array(window + 1);
  const queueIndices = new Float64Array(window + 1);
  let head = 0;
  let size = 0;
  let index = 0;
  // Release gain and the two running sums. In an array: a number in a closure is allocated anew at every change.
  const state = Float64Array.of(1, mean, mean);
  let untouched = window;
  const first = new Float64Array(mean).fill(1);
  const second = new Float64Array(mean).fill(1);
  const next = (needed: number): number => {
    const capacity = queueValues.length;
    while (size > 0 && (queueValues[(head + size - 1) % capacity] ?? 0) >= needed) size--;
    queueValues[(head + size) % capacity] = needed;
    queueIndices[(head + size) % capacity] = index;
    size++;
    if ((queueIndices[head] ?? 0) <= index - window) {
      head = (head + 1) % capacity;
      size--;
    }
    const lowest = queueValues[head] ?? 1;
    let release = state[0] ?? 1;
    let firstSum = state[1] ?? mean;
    let secondSum = state[2] ?? mean;
    release = Math.min(lowest, release + (1 - release) * releaseStep);
    if (release > 0.99999) release = Math.min(lowest, 1);
    untouched = release < 1 ? 0 : untouched + 1;
    const at = index % mean;
    index++;
    firstSum += release - (first[at] ?? 1);
    first[at] = release;
    const firstMean = firstSum / mean;
    secondSum += firstMean - (second[at] ?? 1);
    second[at] = firstMean;
    state[0] = release;
    state[1] = firstSum;
    state[2] = secondSum;
    if (untouched < window) return secondSum / mean;
    // Only ones are left in reach: the running sums start afresh, so that rounding never adds up.
    if (untouched === window) second.fill(1);
    state[1] = mean;
    state[2] = mean;
    return 1;
  };
  return {
    next,
    atRest: () => untouched >= window,
    skip(samples) {
      index += samples;
      untouched += samples;
      head = 0;
      size = 1;
      queueValues[0] = 1;
      queueIndices[0] = index - 1;
    },
  };
}

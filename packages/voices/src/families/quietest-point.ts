/** Length of the stretch whose energy is compared: 5 ms at 24 kHz. */
const windowSamples = 120;

/**
 * The middle of the quietest stretch of `pcm` in [from, to], or of the range where it is shorter than a stretch. Of
 * equally quiet ones the one nearest to the middle of the range is taken. Positions in samples.
 */
export function quietestPoint(pcm: Float32Array, from: number, to: number): number {
  const middle = Math.floor((from + to) / 2);
  if (to - from <= windowSamples) return middle;
  let best = middle;
  let bestEnergy = Infinity;
  const step = windowSamples / 2;
  for (let start = from; start + windowSamples <= to; start += step) {
    let energy = 0;
    for (const sample of pcm.subarray(start, start + windowSamples)) energy += sample * sample;
    const point = start + step;
    const nearer = Math.abs(point - middle) < Math.abs(best - middle);
    if (energy < bestEnergy || (energy === bestEnergy && nearer)) {
      best = point;
      bestEnergy = energy;
    }
  }
  return best;
}

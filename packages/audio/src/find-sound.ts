const frameMs = 10;
const hopMs = 5;
/** Below this nothing is heard, whatever the floor: the noise of 16-bit audio with room above it. */
const silenceDb = -72;
const aboveFloorDb = 8;
const belowLoudestDb = 42;
const floorShare = 0.1;

/**
 * First and last sounding sample in a range, as `[start, end)` in samples of `pcm`. Used to trim takes.
 *
 * Level of frames of 10 ms every 5 ms, of the samples and of their differences (which lifts the soft, high onsets of
 * f, s and h out of a low hum). A frame sounds when either level is 8 dB above its floor (the quietest tenth of the
 * range). In doubt sound is kept: for the samples the threshold is never higher than 42 dB below the loudest frame, so
 * that a range without any silence is kept whole. (Not so for the differences, in which low voices are small.) A range in which nothing is above −72 dBFS gives `[start, start]`.
 */
export function findSound(
  pcm: Float32Array,
  startSamples: number,
  endSamples: number,
  sampleRate: number,
): [number, number] {
  const start = Math.max(0, startSamples);
  const end = Math.min(pcm.length, endSamples);
  const frame = Math.max(1, Math.round((frameMs * sampleRate) / 1000));
  const hop = Math.max(1, Math.round((hopMs * sampleRate) / 1000));
  if (end <= start) return [start, start];
  let mean = 0;
  for (let i = start; i < end; i++) mean += pcm[i] ?? 0;
  mean /= end - start;

  const frames = Math.max(1, Math.ceil((end - start - frame) / hop) + 1);
  const plain = new Float64Array(frames);
  const differences = new Float64Array(frames);
  for (let index = 0; index < frames; index++) {
    const from = start + index * hop;
    const to = Math.min(end, from + frame);
    let sum = 0;
    let differenceSum = 0;
    for (let i = from; i < to; i++) {
      const value = pcm[i] ?? 0;
      sum += (value - mean) ** 2;
      if (i > start) differenceSum += (value - (pcm[i - 1] ?? 0)) ** 2;
    }
    plain[index] = decibels(sum / (to - from));
    differences[index] = decibels(differenceSum / (to - from));
  }
  const plainThreshold = threshold(plain, belowLoudestDb);
  const differenceThreshold = threshold(differences, 0);
  const sounds = (index: number) =>
    (plain[index] ?? -Infinity) > plainThreshold || (differences[index] ?? -Infinity) > differenceThreshold;
  let first = 0;
  while (first < frames && !sounds(first)) first++;
  if (first === frames) return [start, start];
  let last = frames - 1;
  while (!sounds(last)) last--;
  return [start + first * hop, Math.min(end, start + last * hop + frame)];
}

const decibels = (meanSquare: number): number => (meanSquare > 0 ? 10 * Math.log10(meanSquare) : -Infinity);

function threshold(levels: Float64Array, belowLoudest: number): number {
  const sorted = levels.toSorted();
  const floor = sorted[Math.floor((sorted.length - 1) * floorShare)] ?? -Infinity;
  const loudest = sorted[sorted.length - 1] ?? -Infinity;
  return Math.max(silenceDb, Math.min(floor + aboveFloorDb, loudest - belowLoudest));
}

import { createKWeighting } from "./k-weighting.ts";
import { createTruePeakMeter } from "./true-peak.ts";

export interface LoudnessResult {
  /** Integrated loudness; −Infinity when nothing is above the absolute gate. */
  readonly integratedLufs: number;
  /** Loudness range in LU (EBU Tech 3342); 0 for less than three seconds. */
  readonly rangeLu: number;
  /** −Infinity for silence. */
  readonly truePeakDbtp: number;
  readonly lengthSamples: number;
}

export interface LoudnessMeter {
  push(pcm: Float32Array): void;
  /** What has been pushed so far; more may follow. */
  result(): LoudnessResult;
}

const absoluteGateLufs = -70;
const integratedRelativeGateLu = -10;
const rangeRelativeGateLu = -20;
const binsPerLu = 100;
const topLufs = 20;
const stepsPerBlock = 4;
const stepsPerShortTerm = 30;

const toLufs = (meanSquare: number): number => -0.691 + 10 * Math.log10(meanSquare);

/**
 * Loudness by ITU-R BS.1770-4 and EBU R 128: K-weighting, blocks of 400 ms that overlap by 75 %, absolute gate at
 * −70 LUFS, relative gate 10 LU below; loudness range from 3 s values every 100 ms (EBU Tech 3342); true peak.
 *
 * One channel with weight 1.0: a mono file counts as it is, without the 3 LU that a mono signal on two loudspeakers
 * would get. Players and ffmpeg's `ebur128` and `loudnorm` (without `dualmono`) count it so too.
 *
 * Memory is bounded: block energies go into bins of 0.01 LU that keep count and sum, so that only the membership of the
 * one bin at the relative gate is inexact.
 */
export function createLoudnessMeter(sampleRate: number): LoudnessMeter {
  const weigh = createKWeighting(sampleRate);
  const truePeak = createTruePeakMeter();
  const stepSamples = Math.round(sampleRate / 10);
  const blocks = createHistogram();
  const shortTerms = createHistogram();
  const steps = new Float64Array(stepsPerShortTerm);
  let stepCount = 0;
  let stepSum = 0;
  let inStep = 0;
  let lengthSamples = 0;

  const meanOfLast = (count: number): number => {
    let sum = 0;
    for (let i = 1; i <= count; i++) sum += steps[(stepCount - i + stepsPerShortTerm) % stepsPerShortTerm] ?? 0;
    return sum / (count * stepSamples);
  };
  const endStep = () => {
    steps[stepCount % stepsPerShortTerm] = stepSum;
    stepCount++;
    stepSum = 0;
    inStep = 0;
    if (stepCount >= stepsPerBlock) blocks.add(meanOfLast(stepsPerBlock));
    if (stepCount >= stepsPerShortTerm) shortTerms.add(meanOfLast(stepsPerShortTerm));
  };

  return {
    push(pcm) {
      lengthSamples += pcm.length;
      for (let at = 0; at < pcm.length;) {
        const end = Math.min(pcm.length, at + stepSamples - inStep);
        stepSum += weigh(pcm, at, end);
        inStep += end - at;
        at = end;
        if (inStep === stepSamples) endStep();
      }
      truePeak.push(pcm);
    },
    result() {
      const gate = toLufs(blocks.meanAbove(-Infinity)) + integratedRelativeGateLu;
      const peak = truePeak.result();
      return {
        integratedLufs: toLufs(blocks.meanAbove(gate)),
        rangeLu: loudnessRange(shortTerms),
        truePeakDbtp: peak === 0 ? -Infinity : 20 * Math.log10(peak),
        lengthSamples,
      };
    },
  };
}

function loudnessRange(shortTerms: ReturnType<typeof createHistogram>): number {
  const gate = toLufs(shortTerms.meanAbove(-Infinity)) + rangeRelativeGateLu;
  if (!Number.isFinite(gate)) return 0;
  return shortTerms.percentileAbove(gate, 0.95) - shortTerms.percentileAbove(gate, 0.1);
}

/** Mean squares by loudness; what is below the absolute gate is not counted at all. */
function createHistogram() {
  const size = (topLufs - absoluteGateLufs) * binsPerLu;
  const counts = new Float64Array(size);
  const sums = new Float64Array(size);
  const firstBin = (lufs: number) => Math.max(0, Math.round((lufs - absoluteGateLufs) * binsPerLu));
  return {
    add(meanSquare: number) {
      const lufs = toLufs(meanSquare);
      if (!(lufs > absoluteGateLufs)) return;
      const bin = Math.min(size - 1, Math.floor((lufs - absoluteGateLufs) * binsPerLu));
      counts[bin] = (counts[bin] ?? 0) + 1;
      sums[bin] = (sums[bin] ?? 0) + meanSquare;
    },
    meanAbove(lufs: number): number {
      let count = 0;
      let sum = 0;
      for (let bin = firstBin(lufs); bin < size; bin++) {
        count += counts[bin] ?? 0;
        sum += sums[bin] ?? 0;
      }
      return count === 0 ? 0 : sum / count;
    },
    percentileAbove(lufs: number, share: number): number {
      let total = 0;
      for (let bin = firstBin(lufs); bin < size; bin++) total += counts[bin] ?? 0;
      let left = Math.round((total - 1) * share) + 1;
      for (let bin = firstBin(lufs); bin < size; bin++) {
        left -= counts[bin] ?? 0;
        if (left <= 0) return absoluteGateLufs + (bin + 0.5) / binsPerLu;
      }
      return absoluteGateLufs;
    },
  };
}

import { setImmediate } from "node:timers/promises";
import { AppError, type AssemblyPlan, type Timeline } from "@katari/core";
import { chaptersOf, type Chapter } from "./chapters.ts";
import { openFileSink } from "./containers/file-sink.ts";
import { openFlac } from "./containers/flac-file.ts";
import { openM4b } from "./containers/m4b-file.ts";
import { mp3SampleRate, openMp3 } from "./containers/mp3-file.ts";
import type { Cover, ProgrammeFile, ProgrammeFileOptions } from "./containers/programme-file.ts";
import { openWav } from "./containers/wav-file.ts";
import { layTimeline } from "./lay-timeline.ts";
import { createLoudnessMeter, type LoudnessResult } from "./loudness/loudness-meter.ts";
import { createTruePeakLimiter } from "./loudness/true-peak-limiter.ts";
import { renderPlan, type ReadClip } from "./render-plan.ts";
import { createResampler, resampledLength } from "./resampler.ts";

export const programmeFormats = ["m4b", "mp3", "flac", "wav"] as const;
export type ProgrammeFormat = (typeof programmeFormats)[number];

export interface LoudnessTarget {
  /** Integrated loudness of the whole programme. */
  readonly targetLufs: number;
  /** Highest true peak of the finished file. */
  readonly ceilingDbtp: number;
}

export const defaultLoudness: LoudnessTarget = { targetLufs: -19, ceilingDbtp: -3 };

export interface WriteProgrammeOptions {
  readonly format: ProgrammeFormat;
  readonly plan: AssemblyPlan;
  readonly readClip: ReadClip;
  readonly cover?: Cover;
  /** Where to write: a temporary path of the caller's, who moves the finished file or removes the unfinished one. */
  readonly path: string;
  readonly loudness?: LoudnessTarget;
  /** 0 … 1, over all passes. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

export interface WrittenProgramme {
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Samples of the file at its own rate: an MP3 is at 44,100, all others at the plan's. */
  readonly lengthSamples: number;
  readonly sampleRate: number;
  /** Loudness and peak as they went into the encoder, after gain and limiter. */
  readonly loudnessLufs: number;
  readonly truePeakDbtp: number;
  readonly gainDb: number;
  /** At the plan's rate. */
  readonly timeline: Timeline;
}

interface FormatFacts {
  readonly open: (options: ProgrammeFileOptions) => Promise<ProgrammeFile>;
  readonly sampleRate?: number;
  /** Lossy coding moves peaks: the limiter stays this far below the wanted ceiling, so that the decoded file keeps it. */
  readonly headroomDb: number;
}

const formats: Readonly<Record<ProgrammeFormat, FormatFacts>> = {
  m4b: { open: openM4b, headroomDb: 0.8 },
  mp3: { open: openMp3, sampleRate: mp3SampleRate, headroomDb: 0.5 },
  flac: { open: openFlac, headroomDb: 0.05 },
  wav: { open: openWav, headroomDb: 0.05 },
};

const toleranceLu = 0.1;
const makeUpPasses = 2;
/** More than this is not made up for: squeezing peaks harder would be heard before it made anything louder. */
const largestMakeUpDb = 3;
/** Peaks that stand over the ceiling by no more than this hold too little of the sound for the limiter to change it. */
const harmlessPeakDb = 6;

/**
 * Writes a finished programme. One gain for the whole of it brings its integrated loudness to the target; a look-ahead
 * limiter holds the true peak. First pass: measure. Where the limiter would have to work hard, one or two more measure
 * what it takes away, and the gain makes up for it (by 3 dB at most: a programme of nothing but peaks ends below the
 * target, and the result says so). Last pass: gain, limiter, encoder, file; where light work of the limiter has
 * cost more than 0.1 LU after all, which speech does not have, the gain is made up for and the file written again. Everything streams.
 *
 * The file is fsynced. On an error or an abort the file is left unfinished, its handle closed and the encoder's thread
 * ended. Throws `audio-suspect` when nothing can be heard in the plan, `cancelled` when aborted, `disk-full` and others
 * from the file system, and what `readClip` throws.
 */
export async function writeProgramme(options: WriteProgrammeOptions): Promise<WrittenProgramme> {
  const { format, plan, loudness = defaultLoudness, signal } = options;
  try {
    const timeline = layTimeline(plan);
    const ceilingDbtp = loudness.ceilingDbtp - formats[format].headroomDb;
    const progress = progressOver(timeline.lengthSamples, options.onProgress);
    const write = (gainDb: number) => writeFile(options, timeline, { gainDb, ceilingDbtp }, progress);
    const source = await measure(options, progress);
    const plainGainDb = loudness.targetLufs - source.integratedLufs;
    const makeUp = (fromDb: number) =>
      makeUpGain(options, { targetLufs: loudness.targetLufs, ceilingDbtp, plainGainDb }, fromDb, progress);
    if (source.truePeakDbtp + plainGainDb > ceilingDbtp + harmlessPeakDb) return await write(await makeUp(plainGainDb));
    const written = await write(plainGainDb);
    const missing = loudness.targetLufs - written.loudnessLufs;
    return missing <= toleranceLu ? written : await write(await makeUp(plainGainDb + missing));
  } catch (error) {
    if (signal?.aborted) throw new AppError("cancelled", "The export was cancelled.", { cause: error });
    throw AppError.from(error);
  }
}

/** The last pass: gain, limiter, encoder, and a new file at the path. */
async function writeFile(
  options: WriteProgrammeOptions,
  timeline: Timeline,
  { gainDb, ceilingDbtp }: Pick<Mastering, "gainDb" | "ceilingDbtp">,
  progress: ReturnType<typeof progressOver>,
): Promise<WrittenProgramme> {
  const { format, plan, cover, path, signal } = options;
  const facts = formats[format];
  const sampleRate = facts.sampleRate ?? plan.sampleRate;
  const atRate = (samples: number) => resampledLength(samples, plan.sampleRate, sampleRate);
  const lengthSamples = atRate(timeline.lengthSamples);
  const chapters = chaptersOf(timeline).map((chapter): Chapter => ({
    title: chapter.title,
    startSamples: atRate(chapter.startSamples),
    endSamples: atRate(chapter.endSamples),
  }));
  const sink = await openFileSink(path);
  try {
    const file = await facts.open({
      sink,
      sampleRate,
      lengthSamples,
      chapters,
      tags: plan.tags,
      ...(cover ? { cover } : {}),
    });
    let written: LoudnessResult;
    try {
      progress.start(true);
      written = await master(
        options,
        { sampleRate, gainDb, ceilingDbtp },
        (samples) => progress.advance(samples),
        (pcm) => file.push(pcm),
      );
      if (written.lengthSamples !== lengthSamples)
        throw new AppError("internal", `${written.lengthSamples} samples came of ${lengthSamples}.`);
      await file.finish();
    } finally {
      await file.close();
    }
    signal?.throwIfAborted();
    const stored = await sink.finish();
    return {
      ...stored,
      lengthSamples,
      sampleRate,
      loudnessLufs: written.integratedLufs,
      truePeakDbtp: written.truePeakDbtp,
      gainDb,
      timeline,
    };
  } finally {
    await sink.close();
  }
}

interface Mastering {
  readonly sampleRate: number;
  readonly gainDb: number;
  readonly ceilingDbtp: number;
}

/** One pass over the plan with gain and limiter; every block goes to `take`. Resolves with what was measured. */
async function master(
  { plan, readClip, signal }: WriteProgrammeOptions,
  { sampleRate, gainDb, ceilingDbtp }: Mastering,
  advance: (samples: number) => void,
  take?: (pcm: Float32Array) => Promise<void>,
): Promise<LoudnessResult> {
  const gain = 10 ** (gainDb / 20);
  const resampler = sampleRate === plan.sampleRate ? undefined : createResampler(plan.sampleRate, sampleRate);
  const limiter = createTruePeakLimiter({ sampleRate, ceilingDbtp });
  const meter = createLoudnessMeter(sampleRate);
  const pass = async (pcm: Float32Array) => {
    if (pcm.length === 0) return;
    meter.push(pcm);
    if (!take) return;
    await take(pcm);
    // The encoders' threads are fed from here, packet by packet: let them have their turn between blocks.
    await setImmediate();
  };
  for await (const block of renderPlan({ plan, readClip, ...(signal ? { signal } : {}) })) {
    const resampled = resampler ? resampler.push(block) : block;
    await pass(limiter.push(scale(resampled, gain)));
    advance(block.length);
  }
  if (resampler) await pass(limiter.push(scale(resampler.flush(), gain)));
  await pass(limiter.flush());
  return meter.result();
}

/** Changes the samples themselves: each block is the renderer's own copy, made for this pass. */
function scale(pcm: Float32Array, gain: number): Float32Array {
  for (let i = 0; i < pcm.length; i++) pcm[i] = (pcm[i] ?? 0) * gain;
  return pcm;
}

/** The programme as its takes are. Throws `audio-suspect` when nothing can be heard. */
async function measure(
  { plan, readClip, signal }: WriteProgrammeOptions,
  progress: ReturnType<typeof progressOver>,
): Promise<LoudnessResult> {
  const meter = createLoudnessMeter(plan.sampleRate);
  progress.start(false);
  for await (const block of renderPlan({ plan, readClip, ...(signal ? { signal } : {}) })) {
    meter.push(block);
    progress.advance(block.length);
  }
  const source = meter.result();
  if (!Number.isFinite(source.integratedLufs))
    throw new AppError("audio-suspect", "There is no sound in the programme.", {
      cure: "Check the chapters that were chosen, and convert them again.",
    });
  return source;
}

/** The gain that reaches the target through the limiter, found by measuring passes that begin with `fromDb`. */
async function makeUpGain(
  options: WriteProgrammeOptions,
  wanted: { readonly targetLufs: number; readonly ceilingDbtp: number; readonly plainGainDb: number },
  fromDb: number,
  progress: ReturnType<typeof progressOver>,
): Promise<number> {
  const { targetLufs, ceilingDbtp, plainGainDb } = wanted;
  let gainDb = Math.min(fromDb, plainGainDb + largestMakeUpDb);
  for (let pass = 0; pass < makeUpPasses; pass++) {
    progress.start(false);
    const limited = await master(options, { sampleRate: options.plan.sampleRate, gainDb, ceilingDbtp }, (samples) =>
      progress.advance(samples),
    );
    const missing = targetLufs - limited.integratedLufs;
    if (Math.abs(missing) <= toleranceLu) break;
    gainDb = Math.min(gainDb + missing, plainGainDb + largestMakeUpDb);
  }
  return gainDb;
}

/** Progress over passes of which the number is not known before: each one takes its share of what is left. */
function progressOver(lengthSamples: number, onProgress: ((share: number) => void) | undefined) {
  let from = 0;
  let share = 0;
  let done = 0;
  return {
    start(last: boolean) {
      from += share;
      // Measuring costs a tenth of writing.
      share = last ? 1 - from : (1 - from) / 10;
      done = 0;
    },
    advance(samples: number) {
      done += samples;
      onProgress?.(Math.min(1, from + (share * done) / Math.max(1, lengthSamples)));
    },
  };
}

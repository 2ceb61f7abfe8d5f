export { encodeWav, decodeWav, wavHeader, type DecodedWav } from "./wav.ts";
export { checkTake, type CheckTakeOptions, type PartToCheck } from "./check-take.ts";
export { clipPauseMs, layTimeline } from "./lay-timeline.ts";
export { fadeMs, renderPlan, type ReadClip, type RenderOptions } from "./render-plan.ts";
export { createClipReader, type ClipReaderOptions } from "./clip-reader.ts";
export { chaptersOf, type Chapter } from "./chapters.ts";
export { createLoudnessMeter, type LoudnessMeter, type LoudnessResult } from "./loudness/loudness-meter.ts";
export {
  createTruePeakLimiter,
  type TruePeakLimiter,
  type TruePeakLimiterOptions,
} from "./loudness/true-peak-limiter.ts";
export { createResampler, type Resampler } from "./resampler.ts";
export {
  defaultLoudness,
  programmeFormats,
  writeProgramme,
  type LoudnessTarget,
  type ProgrammeFormat,
  type WriteProgrammeOptions,
  type WrittenProgramme,
} from "./write-programme.ts";
export type { Cover } from "./containers/programme-file.ts";

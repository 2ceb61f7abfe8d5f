import { AppError, type TakeChecks } from "@katari/core";
import { findSound } from "./find-sound.ts";

/** A part of a take as the checks see it: a `TakePart`, with the number of symbols that were spoken where known. */
export interface PartToCheck {
  readonly startSamples: number;
  readonly endSamples: number;
  readonly words: readonly unknown[];
  readonly symbols?: number;
}

export interface CheckTakeOptions {
  readonly pcm: Float32Array;
  readonly sampleRate: number;
  readonly parts: readonly PartToCheck[];
}

export interface CheckedTake {
  readonly checks: TakeChecks;
  /** For each part its first and last sounding sample, `[start, end)` (see `findSound`). */
  readonly sounds: readonly (readonly [number, number])[];
}

const silentPeak = 10 ** (-60 / 20);
const fullScale = 0.999;
const clippedRun = 3;
const dcLimit = 0.01;
/** Speech has 10 to 20 phonemes a second; with speeds of 0.5 to 2 and room on both sides. */
const shortestSymbolMs = 18;
const longestSymbolMs = 350;
const fewestSymbols = 8;

/**
 * Listens to a fresh take. Faults that make it useless throw `audio-suspect`, retryable: no samples, a value that is
 * not finite, nothing above −60 dBFS. Doubts are listed in `suspicions`: `clipping` (three samples in a row at full
 * scale), `dc-offset` (mean above 1 % of full scale), `silent-part` (a part with words in which nothing sounds),
 * `too-fast` and `too-slow` (sounding time per symbol outside 18–350 ms, for parts of eight symbols and more).
 */
export function checkTake({ pcm, sampleRate, parts }: CheckTakeOptions): CheckedTake {
  if (pcm.length === 0) throw suspect("has no samples");
  let peak = 0;
  let sum = 0;
  let run = 0;
  let longestRun = 0;
  for (let i = 0; i < pcm.length; i++) {
    const value = pcm[i] ?? 0;
    if (!Number.isFinite(value)) throw suspect(`holds a value that is not a number at sample ${i}`);
    const size = Math.abs(value);
    if (size > peak) peak = size;
    sum += value;
    run = size >= fullScale ? run + 1 : 0;
    if (run > longestRun) longestRun = run;
  }
  if (peak < silentPeak) throw suspect("is silent");

  const suspicions = new Set<string>();
  if (longestRun >= clippedRun) suspicions.add("clipping");
  if (Math.abs(sum / pcm.length) > dcLimit) suspicions.add("dc-offset");
  const sounds = parts.map((part) => findSound(pcm, part.startSamples, part.endSamples, sampleRate));
  for (const [at, part] of parts.entries()) {
    const [start, end] = sounds[at] ?? [0, 0];
    if (part.words.length > 0 && (end <= start || peakIn(pcm, start, end) < silentPeak)) {
      suspicions.add("silent-part");
      continue;
    }
    if (part.symbols === undefined || part.symbols < fewestSymbols) continue;
    const symbolMs = ((end - start) * 1000) / sampleRate / part.symbols;
    if (symbolMs < shortestSymbolMs) suspicions.add("too-fast");
    if (symbolMs > longestSymbolMs) suspicions.add("too-slow");
  }
  const heard = sounds.filter(([start, end]) => end > start);
  const from = Math.min(pcm.length, ...heard.map(([start]) => start));
  const to = Math.max(from, ...heard.map(([, end]) => end));
  return { checks: { peak, levelDb: levelDb(pcm, from, to), suspicions: [...suspicions] }, sounds };
}

function peakIn(pcm: Float32Array, start: number, end: number): number {
  let peak = 0;
  for (let i = start; i < end; i++) peak = Math.max(peak, Math.abs(pcm[i] ?? 0));
  return peak;
}

/** RMS level in dB below full scale; of a take in which no part sounds, the whole of it. */
function levelDb(pcm: Float32Array, from: number, to: number): number {
  const [start, end] = to > from ? [from, to] : [0, pcm.length];
  let sum = 0;
  for (let i = start; i < end; i++) sum += (pcm[i] ?? 0) ** 2;
  return 10 * Math.log10(sum / Math.max(1, end - start));
}

const suspect = (what: string) =>
  new AppError("audio-suspect", `The voice's audio ${what}.`, {
    cure: "It is tried again by itself; if it stays, verify the voice with `katari voices verify`.",
    retryable: true,
  });

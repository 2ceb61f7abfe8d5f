import type { AssemblyPlan, Clip } from "@katari/core";
import type { ReadClip } from "../render-plan.ts";

/** A generator of equal noise for equal seeds, −0.5 … 0.5 (a linear congruential generator; quality is no matter). */
export function createNoise(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

/** A sine of `amplitude` (peak) at `frequency` Hz. */
export function sine(
  frequency: number,
  amplitude: number,
  seconds: number,
  sampleRate: number,
  phase = 0,
): Float32Array {
  return Float32Array.from(
    { length: Math.round(seconds * sampleRate) },
    (_, i) => amplitude * Math.sin((2 * Math.PI * frequency * i) / sampleRate + phase),
  );
}

export const amplitude = (db: number): number => 10 ** (db / 20);

export function concatenate(parts: readonly Float32Array[]): Float32Array {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Something with the build of speech: harmonics of a gliding voice in syllables, and a little noise all the time. */
export function syntheticSpeech(key: string, samples: number, sampleRate = 24_000): Float32Array {
  let seed = 7;
  for (const character of key) seed = (Math.imul(seed, 31) + character.charCodeAt(0)) >>> 0;
  const noise = createNoise(seed);
  const base = 90 + (seed % 90);
  const out = new Float32Array(samples);
  let phase = 0;
  for (let i = 0; i < samples; i++) {
    const seconds = i / sampleRate;
    const edges = Math.min(1, seconds * 20, ((samples - i) / sampleRate) * 20);
    const syllable = Math.sqrt(Math.max(0, Math.sin(2 * Math.PI * 3.7 * seconds))) * edges;
    phase += (2 * Math.PI * (base + 15 * Math.sin(2 * Math.PI * 2.1 * seconds))) / sampleRate;
    let voice = 0;
    for (let harmonic = 1; harmonic < 24; harmonic++)
      voice += Math.cos(phase * harmonic + harmonic * harmonic * 0.3) / harmonic;
    out[i] = Math.max(-1, Math.min(1, 0.13 * syllable * voice + 0.0006 * noise()));
  }
  return out;
}

export interface PlanShape {
  readonly documents: number;
  readonly segments: number;
  readonly clipSamples: (index: number) => number;
  readonly pauseMs?: number;
  readonly leadInMs?: number;
  readonly leadOutMs?: number;
  readonly sampleRate?: number;
  readonly title?: string;
}

/** A plan in which every segment is one whole take of its own. */
export function makePlan(shape: PlanShape): AssemblyPlan {
  const { documents, segments, clipSamples, pauseMs = 433, leadInMs = 500, leadOutMs = 1000 } = shape;
  return {
    v: 1,
    sampleRate: shape.sampleRate ?? 24_000,
    leadInMs,
    leadOutMs,
    tags: {
      title: shape.title ?? "Don't Panic — 語り",
      authors: ["Ada Author", "Bo Writer"],
      narrator: "Heart (Kokoro)",
      language: "en-GB",
      published: "1895",
      publisher: "The Press",
      description: "Two lines\nof description",
      copyright: "Public domain",
      comment: "Narrated by Katari",
    },
    documents: Array.from({ length: documents }, (_, document) => ({
      documentId: `d${document}`,
      title: `Chapter ${document + 1} ― 章`,
      segments: Array.from({ length: segments }, (_unused, segment) => {
        const index = document * segments + segment;
        return {
          segmentId: `s${index}`,
          clips: [{ audioKey: `take-${index}`, startSamples: 0, endSamples: clipSamples(index) }],
          words: [],
          pauseMs,
        };
      }),
    })),
  };
}

/** Gives every clip as synthetic speech, the same each time. */
export const readSpeech: ReadClip = (clip: Clip) =>
  Promise.resolve(syntheticSpeech(clip.audioKey, clip.endSamples).subarray(clip.startSamples));

export async function collect(blocks: AsyncIterable<Float32Array>): Promise<Float32Array> {
  const parts: Float32Array[] = [];
  for await (const block of blocks) parts.push(block.slice());
  return concatenate(parts);
}

/** Index of the first sample in which two signals differ (or in which one has ended); −1 when they are equal. */
export function firstDifference(a: Float32Array, b: Float32Array): number {
  const length = Math.max(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return i;
  return -1;
}

/** The smallest PNG that there is: one pixel. */
export const onePixelPng: Uint8Array = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);

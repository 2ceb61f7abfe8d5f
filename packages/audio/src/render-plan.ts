import { AppError, type AssemblyPlan, type Clip } from "@katari/core";
import { clipGapSamples, goesOn, msToSamples } from "./lay-timeline.ts";

/** Reads the samples of a clip: exactly `endSamples − startSamples` of them, at the plan's rate. They are not changed. */
export type ReadClip = (clip: Clip, signal?: AbortSignal) => Promise<Float32Array>;

export interface RenderOptions {
  readonly plan: AssemblyPlan;
  readonly readClip: ReadClip;
  readonly signal?: AbortSignal;
}

/** Length of the fade at each cut. */
export const fadeMs = 8;
const blockSamples = 4096;
const prefetchedClips = 4;

/** A stretch of the programme: a clip with or without a cut at each side, or silence. */
type Item =
  { readonly silence: number } | { readonly clip: Clip; readonly cutBefore: boolean; readonly cutAfter: boolean };

/**
 * The programme's samples, in blocks of at most 4,096 that add up exactly to `layTimeline(plan).lengthSamples`.
 * Every cut is faded by a raised cosine of 8 ms inside the clip (half the clip where that is shorter), so a join steps
 * from and to zero; where a take simply goes on from one clip to the next, nothing is touched. At most four clips are
 * read ahead, so memory does not grow with the programme. Throws what `readClip` throws, `incomplete` for a clip with
 * another number of samples than the plan says, and the signal's reason when aborted.
 */
export async function* renderPlan({ plan, readClip, signal }: RenderOptions): AsyncGenerator<Float32Array> {
  const items = itemsOf(plan);
  const reads: { readonly item: Item; readonly pcm: Promise<Float32Array> | undefined }[] = [];
  const stop = new AbortController();
  const readSignal = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  let clipsAhead = 0;
  let ended = false;
  const readAhead = () => {
    while (!ended && clipsAhead < prefetchedClips) {
      const next = items.next();
      if (next.done) {
        ended = true;
        break;
      }
      const pcm = "clip" in next.value ? readClip(next.value.clip, readSignal) : undefined;
      // The error is thrown when the clip's turn comes; until then it must not count as unhandled.
      pcm?.catch(() => undefined);
      if (pcm) clipsAhead++;
      reads.push({ item: next.value, pcm });
    }
  };
  try {
    for (;;) {
      signal?.throwIfAborted();
      readAhead();
      const read = reads.shift();
      if (!read) return;
      if ("silence" in read.item) {
        yield* silence(read.item.silence);
        continue;
      }
      const { clip, cutBefore, cutAfter } = read.item;
      const pcm = await read.pcm;
      signal?.throwIfAborted();
      clipsAhead--;
      const wanted = clip.endSamples - clip.startSamples;
      if (pcm?.length !== wanted)
        throw new AppError(
          "incomplete",
          `The audio ${clip.audioKey} gave ${pcm?.length ?? 0} samples where ${wanted} are planned.`,
          { cure: "Convert the sentence again, then export once more." },
        );
      const faded = fade(pcm, msToSamples(fadeMs, plan.sampleRate), cutBefore, cutAfter);
      for (let at = 0; at < faded.length; at += blockSamples) yield faded.subarray(at, at + blockSamples);
    }
  } finally {
    stop.abort();
  }
}

/** The plan as a row of clips and silences. Joins across segments without a pause are found here too. */
function* itemsOf(plan: AssemblyPlan): Generator<Item, undefined> {
  let pendingSilence = msToSamples(plan.leadInMs, plan.sampleRate);
  let held: { clip: Clip; cutBefore: boolean } | undefined;
  for (const document of plan.documents) {
    for (const segment of document.segments) {
      let previous: Clip | undefined;
      for (const clip of segment.clips) {
        if (previous) pendingSilence += clipGapSamples(previous, clip, plan.sampleRate);
        const joined = held !== undefined && pendingSilence === 0 && goesOn(held.clip, clip);
        if (held) yield { ...held, cutAfter: !joined };
        if (pendingSilence > 0) yield { silence: pendingSilence };
        pendingSilence = 0;
        held = { clip, cutBefore: !joined };
        previous = clip;
      }
      pendingSilence += msToSamples(segment.pauseMs, plan.sampleRate);
    }
  }
  if (held) yield { ...held, cutAfter: true };
  pendingSilence += msToSamples(plan.leadOutMs, plan.sampleRate);
  if (pendingSilence > 0) yield { silence: pendingSilence };
  return undefined;
}

function* silence(samples: number): Generator<Float32Array> {
  for (let left = samples; left > 0; left -= blockSamples) yield new Float32Array(Math.min(left, blockSamples));
}

/** A copy of the samples with raised-cosine fades of at most `fadeSamples` (and at most half the clip) at the cuts. */
function fade(pcm: Float32Array, fadeSamples: number, cutBefore: boolean, cutAfter: boolean): Float32Array {
  const out = pcm.slice();
  const length = Math.min(fadeSamples, Math.floor(out.length / 2));
  for (let i = 0; i < length; i++) {
    const weight = 0.5 - 0.5 * Math.cos((Math.PI * i) / length);
    const last = out.length - 1 - i;
    if (cutBefore) out[i] = (out[i] ?? 0) * weight;
    if (cutAfter) out[last] = (out[last] ?? 0) * weight;
  }
  return out;
}

import {
  AppError,
  type AssemblyPlan,
  type Clip,
  type Timeline,
  type TimelineDocument,
  type TimelineSegment,
} from "@katari/core";

/**
 * Pause between two clips of one segment that were spoken apart (a long sentence is cut at a clause), in milliseconds.
 * Clips carry a margin of their own silence, which with this makes about the length of a clause's pause.
 */
export const clipPauseMs = 120;

/** Milliseconds as whole samples, rounded once. */
export const msToSamples = (ms: number, sampleRate: number): number => Math.round((ms * sampleRate) / 1000);

/** Whether `next` goes on in the same take exactly where `clip` ends, so that nothing was cut between them. */
export const goesOn = (clip: Clip, next: Clip): boolean =>
  clip.audioKey === next.audioKey && clip.endSamples === next.startSamples;

/** Samples of silence between two clips of one segment: none where the take simply goes on. */
export const clipGapSamples = (clip: Clip, next: Clip, sampleRate: number): number =>
  goesOn(clip, next) ? 0 : msToSamples(clipPauseMs, sampleRate);

/**
 * Lays a plan out in time: lead-in; per document, per segment, its clips and then its pause; lead-out. Pure, and in
 * whole samples: every pause is rounded once and positions are sums, so nothing drifts however long the programme is.
 * A document starts at the first sample of its first segment and ends where the next one starts; the last ends with the
 * programme. A document without segments is empty at the place where it stands. Throws `invalid-argument` for a range
 * that is not one.
 */
export function layTimeline(plan: AssemblyPlan): Timeline {
  const { sampleRate } = plan;
  if (!Number.isInteger(sampleRate) || sampleRate <= 0)
    throw new AppError("invalid-argument", `The plan's sample rate ${sampleRate} is not a whole number above 0.`);
  let position = msToSamples(checkedMs(plan.leadInMs, "lead-in"), sampleRate);
  const drafts: (Omit<TimelineDocument, "endSamples"> & { readonly segments: TimelineSegment[] })[] = [];
  for (const document of plan.documents) {
    const startSamples = position;
    const segments: TimelineSegment[] = [];
    for (const segment of document.segments) {
      const segmentStart = position;
      const clipStarts: number[] = [];
      segment.clips.forEach((clip, index) => {
        checkClip(clip);
        const previous = segment.clips[index - 1];
        if (previous) position += clipGapSamples(previous, clip, sampleRate);
        clipStarts.push(position);
        position += clip.endSamples - clip.startSamples;
      });
      const words = segment.words.map((word): readonly [number, number] => {
        const clip = segment.clips[word.clip];
        const clipStart = clipStarts[word.clip];
        if (!clip || clipStart === undefined)
          throw new AppError("invalid-argument", `A word of segment ${segment.segmentId} names clip ${word.clip}.`);
        const inClip = (samples: number) =>
          clipStart + Math.min(Math.max(samples, clip.startSamples), clip.endSamples) - clip.startSamples;
        return [inClip(word.startSamples), inClip(word.endSamples)];
      });
      segments.push({ segmentId: segment.segmentId, startSamples: segmentStart, endSamples: position, words });
      position += msToSamples(checkedMs(segment.pauseMs, `pause after segment ${segment.segmentId}`), sampleRate);
    }
    drafts.push({ documentId: document.documentId, title: document.title, startSamples, segments });
  }
  const lengthSamples = position + msToSamples(checkedMs(plan.leadOutMs, "lead-out"), sampleRate);
  const documents = drafts.map((draft, index) => ({
    ...draft,
    endSamples: drafts[index + 1]?.startSamples ?? lengthSamples,
  }));
  return { sampleRate, lengthSamples, documents };
}

function checkedMs(ms: number, what: string): number {
  if (!Number.isFinite(ms) || ms < 0)
    throw new AppError("invalid-argument", `The ${what} of ${ms} ms is not a length.`);
  return ms;
}

function checkClip(clip: Clip): void {
  const whole = Number.isInteger(clip.startSamples) && Number.isInteger(clip.endSamples);
  if (!whole || clip.startSamples < 0 || clip.endSamples < clip.startSamples)
    throw new AppError(
      "invalid-argument",
      `The clip ${clip.startSamples}–${clip.endSamples} of ${clip.audioKey} is not a range of samples.`,
    );
}

import type { Timeline } from "@katari/core";

/** A chapter mark of the finished file. */
export interface Chapter {
  readonly title: string;
  readonly startSamples: number;
  readonly endSamples: number;
}

/** The timeline's documents as chapters. A document in which nothing is heard has no mark: there is nothing to play. */
export function chaptersOf(timeline: Timeline): readonly Chapter[] {
  return timeline.documents
    .filter((document) => document.endSamples > document.startSamples)
    .map(({ title, startSamples, endSamples }) => ({ title, startSamples, endSamples }));
}

/** A position as whole milliseconds, for formats that count so. */
export const samplesToMs = (samples: number, sampleRate: number): number => Math.round((samples * 1000) / sampleRate);

import type { Segment } from "@katari/contracts";

/** What the player does next when somebody wants to hear from a place. */
export type Step =
  | { readonly kind: "play"; readonly index: number; readonly passedOver: number }
  | { readonly kind: "wait"; readonly index: number; readonly passedOver: number }
  | { readonly kind: "unplanned"; readonly index: number; readonly passedOver: number }
  | { readonly kind: "end"; readonly passedOver: number };

/**
 * Looks from a place on: what makes no sound is passed over, what failed too but counted; what is still to come is
 * waited for and never left out.
 */
export function nextStep(segments: readonly Pick<Segment, "state">[], from: number): Step {
  let passedOver = 0;
  for (let index = Math.max(0, from); index < segments.length; index++) {
    switch (segments[index]?.state) {
      case "ready":
        return { kind: "play", index, passedOver };
      case "waiting":
        return { kind: "wait", index, passedOver };
      case "unplanned":
        return { kind: "unplanned", index, passedOver };
      case "failed":
        passedOver++;
        break;
      case "silent":
      case undefined:
        break;
    }
  }
  return { kind: "end", passedOver };
}

/** The nearest place before `from` that has, or will have, sound; `from` itself when there is none. */
export function previousPlace(segments: readonly Pick<Segment, "state">[], from: number): number {
  for (let index = from - 1; index >= 0; index--) {
    const state = segments[index]?.state;
    if (state === "ready" || state === "waiting") return index;
  }
  return from;
}

/** How long to stay silent after a sentence: its pause is in `audioMs` but not in its sound. */
export function pauseAfter(audioMs: number | undefined, soundSeconds: number): number {
  if (audioMs === undefined || !Number.isFinite(soundSeconds)) return 0;
  return Math.min(5_000, Math.max(0, audioMs - soundSeconds * 1_000));
}

/** Sentences by the block that they stand in, in order; each with its place in the chapter. */
export interface Passage {
  readonly blockId: string;
  readonly blockKind: string;
  readonly sentences: readonly { readonly segment: Segment; readonly index: number }[];
}

export function groupByBlock(segments: readonly Segment[]): Passage[] {
  const passages: { blockId: string; blockKind: string; sentences: { segment: Segment; index: number }[] }[] = [];
  for (const [index, segment] of segments.entries()) {
    const last = passages.at(-1);
    if (last?.blockId === segment.blockId) last.sentences.push({ segment, index });
    else passages.push({ blockId: segment.blockId, blockKind: segment.blockKind, sentences: [{ segment, index }] });
  }
  return passages;
}

/** What stands between two sentences: nothing in languages that are written without spaces. */
export function spaceBetween(language: string): string {
  return /^(?:ja|zh|th|lo|km|my)(?:-|$)/i.test(language) ? "" : " ";
}

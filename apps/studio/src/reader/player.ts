import type { Segment } from "@katari/contracts";
import { nextStep, pauseAfter, previousPlace } from "./playback.ts";
import type { SoundOutput } from "./sound-output.ts";

type PlayerState = "idle" | "playing" | "waiting" | "paused" | "unplanned" | "ended" | "failed";

/** What the page shows of the player. */
export interface PlayerView {
  readonly state: PlayerState;
  /** Place of the sentence that is, or will be, heard; undefined before the first. */
  readonly at: number | undefined;
  /** Sentences that could not be spoken and were left out since somebody last chose a place. */
  readonly passedOver: number;
}

export interface PlayerOptions {
  readonly sound: SoundOutput;
  readonly soundUrl: (segmentId: string) => string;
  /** Tells the server where somebody listens, so that it does those sentences first. */
  readonly listenFrom: (segmentId: string) => void;
}

export type Player = ReturnType<typeof createPlayer>;

/**
 * Plays a chapter sentence by sentence, while it is still being narrated too.
 *
 * `idle → playing → ended`, by way of `waiting` (the sentence is not ready: it is asked for, and played when a newer
 * list says that it has come), `paused`, `unplanned` (nobody has asked for this chapter's narration) and `failed` (the
 * sound did not load). Only a person leaves the last four.
 */
export function createPlayer({ sound, soundUrl, listenFrom }: PlayerOptions) {
  let segments: readonly Segment[] = [];
  let view: PlayerView = { state: "idle", at: undefined, passedOver: 0 };
  const listeners = new Set<() => void>();

  const show = (next: Partial<PlayerView>): void => {
    view = { ...view, ...next };
    for (const listener of listeners) listener();
  };

  /** Goes on from a place; `passedOver` counts on. */
  const goTo = (from: number): void => {
    sound.stop();
    const step = nextStep(segments, from);
    const passedOver = view.passedOver + step.passedOver;
    if (step.kind === "end") {
      show({ state: "ended", at: segments.length > 0 ? segments.length - 1 : undefined, passedOver });
      return;
    }
    const { index } = step;
    const segment = segments[index];
    if (!segment) return;
    switch (step.kind) {
      case "unplanned":
        show({ state: "unplanned", at: index, passedOver });
        break;
      case "wait":
        show({ state: "waiting", at: index, passedOver });
        listenFrom(segment.id);
        break;
      case "play": {
        show({ state: "playing", at: index, passedOver });
        sound.play(soundUrl(segment.id), {
          pauseMs: (soundSeconds) => pauseAfter(segment.audioMs, soundSeconds),
          onEnd: () => goTo(index + 1),
          onFail: () => show({ state: "failed" }),
        });
        const following = nextStep(segments, index + 1);
        const next = following.kind === "play" ? segments[following.index] : undefined;
        if (next) sound.prefetch(soundUrl(next.id));
        break;
      }
    }
  };
  const choose = (index: number): void => {
    show({ passedOver: 0 });
    goTo(index);
  };

  return {
    get: (): PlayerView => view,
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /** The chapter as it is now. What was waited for is played when it has come. */
    update: (next: readonly Segment[]): void => {
      segments = next;
      const { at, state } = view;
      if (state === "waiting" && at !== undefined && segments[at]?.state !== "waiting") goTo(at);
    },
    playFrom: choose,
    toggle: (): void => {
      if (view.state === "playing" || view.state === "waiting") {
        sound.stop();
        show({ state: "paused" });
      } else choose(view.state === "ended" ? 0 : (view.at ?? 0));
    },
    previous: (): void => choose(previousPlace(segments, view.at ?? 0)),
    next: (): void => choose((view.at ?? -1) + 1),
    /** Silence, for when the page goes. */
    stop: (): void => {
      sound.stop();
      if (view.state === "playing" || view.state === "waiting") show({ state: "paused" });
    },
  };
}

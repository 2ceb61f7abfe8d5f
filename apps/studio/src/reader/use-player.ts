import type { Segment } from "@katari/contracts";
import { useCallback, useEffect, useRef, useState } from "react";
import { listenFrom, soundUrl } from "../api/queries.ts";
import { nextStep, pauseAfter, previousPlace } from "./playback.ts";

export type PlayerState = "idle" | "playing" | "waiting" | "paused" | "unplanned" | "ended" | "failed";

export interface Player {
  readonly state: PlayerState;
  /** Place of the sentence that is, or will be, heard; undefined before the first. */
  readonly at: number | undefined;
  readonly passedOver: number;
  playFrom(index: number): void;
  toggle(): void;
  previous(): void;
  next(): void;
}

/**
 * Plays a chapter sentence by sentence. Two audio elements take turns, so that the next sentence is loaded while one
 * sounds. A sentence that is not ready is asked for (`listen`) and played when the list says that it has come.
 */
export function usePlayer(projectId: string, segments: readonly Segment[]): Player {
  const [at, setAt] = useState<number>();
  const [wanted, setWanted] = useState(false);
  const [passedOver, setPassedOver] = useState(0);
  const [state, setState] = useState<PlayerState>("idle");
  const elements = useRef<[HTMLAudioElement, HTMLAudioElement]>(undefined);
  const playing = useRef<string>(undefined);
  const asked = useRef<string>(undefined);
  const gap = useRef<number>(undefined);

  const pair = useCallback(() => (elements.current ??= [new Audio(), new Audio()]), []);
  const silence = useCallback(() => {
    window.clearTimeout(gap.current);
    for (const element of elements.current ?? []) {
      element.onended = null;
      element.onerror = null;
      element.pause();
    }
    playing.current = undefined;
  }, []);
  useEffect(() => silence, [silence]);

  useEffect(() => {
    if (!wanted || at === undefined) return;
    const step = nextStep(segments, at);
    if (step.passedOver > 0) setPassedOver((count) => count + step.passedOver);
    if (step.kind === "end" || step.kind === "unplanned") {
      silence();
      setWanted(false);
      setState(step.kind === "end" ? "ended" : "unplanned");
      return;
    }
    if (step.index !== at) {
      setAt(step.index);
      return;
    }
    const segment = segments[step.index];
    if (!segment) return;
    if (step.kind === "wait") {
      silence();
      setState("waiting");
      if (asked.current === segment.id) return;
      asked.current = segment.id;
      // It only moves the sentence to the front; without it the sentence comes later.
      listenFrom(projectId, segment.id).catch(() => undefined);
      return;
    }
    if (playing.current === segment.id) return;
    silence();
    playing.current = segment.id;
    setState("playing");
    const [first, second] = pair();
    const url = new URL(soundUrl(projectId, segment.id), window.location.href).href;
    const current = second.src === url ? second : first;
    const other = current === first ? second : first;
    if (current.src !== url) current.src = url;
    current.currentTime = 0;
    current.onended = () => {
      gap.current = window.setTimeout(
        () => setAt((place) => (place === step.index ? step.index + 1 : place)),
        pauseAfter(segment.audioMs, current.duration),
      );
    };
    const fail = (): void => {
      if (playing.current !== segment.id) return;
      playing.current = undefined;
      setWanted(false);
      setState("failed");
    };
    current.onerror = fail;
    current.play().catch((error: unknown) => {
      // A pause that comes before the sound began is no failure.
      if (!(error instanceof DOMException && error.name === "AbortError")) fail();
    });
    const following = nextStep(segments, step.index + 1);
    const next = following.kind === "play" ? segments[following.index] : undefined;
    if (next) {
      other.preload = "auto";
      other.src = new URL(soundUrl(projectId, next.id), window.location.href).href;
    }
  }, [at, pair, projectId, segments, silence, wanted]);

  const playFrom = (index: number): void => {
    silence();
    setPassedOver(0);
    asked.current = undefined;
    setAt(index);
    setWanted(true);
  };
  return {
    state,
    at,
    passedOver,
    playFrom,
    toggle() {
      if (wanted) {
        silence();
        setWanted(false);
        setState("paused");
      } else playFrom(state === "ended" ? 0 : (at ?? 0));
    },
    previous: () => playFrom(previousPlace(segments, at ?? 0)),
    next: () => playFrom((at ?? -1) + 1),
  };
}

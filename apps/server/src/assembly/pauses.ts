import { boundaryKinds, defaultPauses, type Boundary, type PauseSettings } from "@katari/core";

/** Silence that is kept before and after the sound of a clip, inside the part of the take that is the segment's. */
export const soundMarginMs = 30;

/** A project's pauses: its own over the defaults. Anything in the settings that is no length is ignored. */
export function pausesOf(settings: Readonly<Record<string, unknown>>): PauseSettings {
  const own = settings["pauses"];
  if (own === null || typeof own !== "object") return defaultPauses;
  const known = Object.entries(own).filter(
    ([kind, value]) => (boundaryKinds as readonly string[]).includes(kind) && typeof value === "number" && value >= 0,
  );
  return { ...defaultPauses, ...Object.fromEntries(known) };
}

/** The pause after a segment. The last one of a document is followed by a chapter's pause, whatever it says itself. */
export function pauseAfter(boundary: Boundary, last: boolean, pauses: PauseSettings): number {
  if (last) return pauses.chapter;
  const { kind } = boundary;
  if (kind === "none") return 0;
  if (kind === "explicit") return boundary.pauseMs ?? 0;
  return pauses[kind];
}

import type { Segment } from "@katari/contracts";
import { useEffect, useState, useSyncExternalStore } from "react";
import { listenFrom, soundUrl } from "../api/queries.ts";
import { createPlayer, type Player, type PlayerView } from "./player.ts";
import { createSoundOutput } from "./sound-output.ts";

/** A player for a chapter whose sentences become ready one after the other. It falls silent when the page goes. */
export function usePlayer(projectId: string, segments: readonly Segment[]): { player: Player; view: PlayerView } {
  const [player] = useState(() =>
    createPlayer({
      sound: createSoundOutput(),
      soundUrl: (segmentId) => soundUrl(projectId, segmentId),
      listenFrom: (segmentId) => {
        // It only moves the sentence to the front; without it the sentence comes later.
        listenFrom(projectId, segmentId).catch(() => undefined);
      },
    }),
  );
  const view = useSyncExternalStore(player.subscribe, player.get);
  useEffect(() => player.update(segments), [player, segments]);
  useEffect(() => player.stop, [player]);
  return { player, view };
}

import type { Segment } from "@katari/contracts";
import { Button } from "../parts/button.tsx";
import { useTexts } from "../texts/use-texts.ts";
import type { Player, PlayerView } from "./player.ts";

/** Play and pause, back and on, and what is going on; at the foot of the page. */
export function PlayerBar({
  player,
  view,
  segments,
}: {
  player: Player;
  view: PlayerView;
  segments: readonly Segment[];
}) {
  const { t, count } = useTexts();
  const active = view.state === "playing" || view.state === "waiting";
  const message = {
    idle: "",
    playing: "",
    paused: "",
    waiting: t("reader.waiting"),
    unplanned: t("reader.unplanned"),
    ended: t("reader.ended"),
    failed: t("reader.soundFailed"),
  }[view.state];
  const position =
    view.at === undefined
      ? ""
      : t("reader.position", { index: count(Math.min(view.at + 1, segments.length)), total: count(segments.length) });
  const skipped =
    view.passedOver > 0 ? t("reader.skipped", { count: view.passedOver, formatted: count(view.passedOver) }) : "";
  return (
    <section
      aria-label={t("reader.player")}
      className="fixed inset-x-0 bottom-0 border-t border-line bg-surface/95 backdrop-blur-sm"
    >
      <div className="mx-auto flex max-w-3xl items-center gap-3 px-4 py-3 sm:px-6">
        <Button look="quiet" aria-label={t("reader.previous")} className="px-3" onClick={player.previous}>
          <Icon path="M11 6 5 12l6 6M19 6l-6 6 6 6" />
        </Button>
        <button
          type="button"
          aria-label={t(active ? "reader.pause" : "reader.play")}
          onClick={player.toggle}
          className="grid size-14 shrink-0 place-items-center rounded-full bg-accent text-on-accent transition-opacity hover:opacity-90"
        >
          {active ? <Icon path="M9 6v12M15 6v12" /> : <Icon path="M8 5.5v13l10.5-6.5z" filled />}
        </button>
        <Button look="quiet" aria-label={t("reader.next")} className="px-3" onClick={player.next}>
          <Icon path="m13 6 6 6-6 6M5 6l6 6-6 6" />
        </Button>
        <div className="min-w-0 flex-1 text-sm">
          <p className="tabular text-soft">{position}</p>
          <p
            aria-live="polite"
            className={view.state === "failed" ? "text-bad" : view.state === "waiting" ? "breathing" : ""}
          >
            {[message, skipped].filter((text) => text !== "").join(" · ")}
          </p>
        </div>
      </div>
    </section>
  );
}

function Icon({ path, filled = false }: { path: string; filled?: boolean }) {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      className="size-6"
      fill={filled ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth="2.2"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={path} />
    </svg>
  );
}

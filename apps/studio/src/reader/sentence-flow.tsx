import type { Segment } from "@katari/contracts";
import { useEffect, useMemo, useRef, type KeyboardEvent } from "react";
import { useTexts } from "../texts/use-texts.ts";
import { groupByBlock, spaceBetween } from "./playback.ts";

const looks: Readonly<Record<Segment["state"], string>> = {
  ready: "hover:bg-accent-wash",
  silent: "text-soft",
  waiting: "text-soft hover:bg-accent-wash",
  unplanned: "text-soft",
  failed: "underline decoration-bad decoration-wavy decoration-1 underline-offset-4",
};

/**
 * The text of a chapter, as a page to read along: each sentence can be chosen. One sentence is in the order of the Tab
 * key; the arrow keys go from one to the next.
 */
export function SentenceFlow({
  segments,
  at,
  language,
  onChoose,
}: {
  segments: readonly Segment[];
  at: number | undefined;
  language: string;
  onChoose: (index: number) => void;
}) {
  const { t } = useTexts();
  const place = useRef<HTMLDivElement>(null);
  const passages = useMemo(() => groupByBlock(segments), [segments]);
  const current = at === undefined ? undefined : segments[at]?.id;
  const focusable = at ?? 0;
  const gap = spaceBetween(language);

  useEffect(() => {
    if (current === undefined) return;
    const element = place.current?.querySelector(`[data-index="${at}"]`);
    const box = element?.getBoundingClientRect();
    // Only when it is out of sight (the player covers the foot), so that nobody's own scrolling is fought.
    if (box && (box.top < 60 || box.bottom > window.innerHeight - 140))
      element?.scrollIntoView({
        block: "center",
        behavior: window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
      });
  }, [at, current]);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const index = Number((event.target as HTMLElement).dataset["index"]);
    if (Number.isNaN(index)) return;
    const move =
      event.key === "ArrowDown" || event.key === "ArrowRight"
        ? 1
        : event.key === "ArrowUp" || event.key === "ArrowLeft"
          ? -1
          : 0;
    if (move !== 0) {
      event.preventDefault();
      place.current?.querySelector<HTMLElement>(`[data-index="${index + move}"]`)?.focus();
    } else if (event.key === "Enter") {
      event.preventDefault();
      onChoose(index);
    }
  };

  return (
    // The sentences inside are the controls; this only hears their keys.
    <div
      ref={place}
      lang={language}
      onKeyDown={onKeyDown}
      className="book-text font-book text-lg leading-[1.9] sm:text-xl sm:leading-[1.9]"
    >
      {passages.map((passage) => (
        <p
          key={`${passage.blockId}-${passage.sentences[0]?.index}`}
          className={passage.blockKind === "heading" ? "mt-8 mb-6 text-3xl leading-snug sm:text-4xl" : "my-5"}
        >
          {passage.sentences.map(({ segment, index }) => (
            <span key={segment.id}>
              <span
                role="button"
                tabIndex={index === focusable ? 0 : -1}
                data-index={index}
                aria-current={index === at ? "true" : undefined}
                aria-describedby={
                  segment.state === "failed"
                    ? "sentence-failed"
                    : segment.state === "ready"
                      ? undefined
                      : "sentence-waiting"
                }
                title={segment.state === "failed" ? (segment.message ?? t("reader.failed")) : undefined}
                onClick={() => onChoose(index)}
                className={`cursor-pointer rounded-sm box-decoration-clone py-0.5 transition-colors ${
                  index === at ? "bg-spoken text-ink" : looks[segment.state]
                }`}
              >
                {segment.text}
              </span>
              {gap}
            </span>
          ))}
        </p>
      ))}
      <span id="sentence-failed" hidden>
        {t("reader.failed")}
      </span>
      <span id="sentence-waiting" hidden>
        {t("reader.notReady")}
      </span>
    </div>
  );
}

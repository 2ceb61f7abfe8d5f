import type { ProjectDetail } from "@katari/contracts";
import { Link } from "@tanstack/react-router";
import { buttonClass } from "../parts/button.tsx";
import { Thread } from "../parts/thread.tsx";
import { useTexts } from "../texts/use-texts.ts";

/** The chapters in reading order, each with how far it is and a way to listen. */
export function Chapters({ project }: { project: ProjectDetail }) {
  const { t, count, length } = useTexts();
  if (project.documents.length === 0) return <p className="text-soft">{t("project.noText")}</p>;
  return (
    <section aria-labelledby="chapters">
      <h2 id="chapters" className="font-book text-xl">
        {t("project.chapters")}
      </h2>
      <ol className="mt-3 divide-y divide-line border-y border-line">
        {project.documents.map((one) => {
          const title = one.title === "" ? t("project.chapter", { index: one.index }) : one.title;
          const done = one.voicedSegments > 0 && one.readySegments >= one.voicedSegments;
          // Until its text is planned nobody knows which sentences will sound.
          const progress =
            one.voicedSegments === 0
              ? t("library.sentences", { count: one.segments, formatted: count(one.segments) })
              : t("project.chapterProgress", { ready: count(one.readySegments), total: count(one.voicedSegments) });
          return (
            <li key={one.id} className="flex items-center gap-4 py-3">
              <span className="tabular w-7 shrink-0 text-end text-sm text-soft">{one.index}</span>
              <div className="min-w-0 flex-1">
                <p lang={project.language} className="truncate font-book text-lg leading-snug">
                  {title}
                </p>
                <div className="mt-1.5 flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-soft sm:text-sm">
                  <div className="w-full max-w-40 sm:w-40">
                    <Thread value={one.readySegments} total={Math.max(1, one.voicedSegments)} label={title} />
                  </div>
                  <span className="tabular">{done ? t("project.chapterReady") : progress}</span>
                  {one.audioMs > 0 ? <span className="tabular">{length(one.audioMs)}</span> : null}
                </div>
              </div>
              <Link
                to="/projects/$projectId/documents/$documentId"
                params={{ projectId: project.id, documentId: one.id }}
                aria-label={t(one.readySegments > 0 ? "project.listenTo" : "project.readTitle", { title })}
                className={buttonClass(one.readySegments > 0 ? "plain" : "quiet")}
              >
                {t(one.readySegments > 0 ? "project.listen" : "project.read")}
              </Link>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

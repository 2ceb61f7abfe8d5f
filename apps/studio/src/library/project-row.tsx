import type { ProjectSummary } from "@katari/contracts";
import { Link } from "@tanstack/react-router";
import { Cover } from "../parts/cover.tsx";
import { Thread } from "../parts/thread.tsx";
import { useTexts } from "../texts/use-texts.ts";

/** One book of the library: the whole row opens it. */
export function ProjectRow({ project }: { project: ProjectSummary }) {
  const { t, length, percent, count } = useTexts();
  const { readySegments, voicedSegments } = project;
  const state =
    project.importState === "failed"
      ? t("library.importFailed")
      : project.importState !== "ready"
        ? t("library.reading")
        : readySegments === 0
          ? t("library.notStarted")
          : readySegments >= voicedSegments
            ? t("library.finished")
            : t("library.ready", { percent: percent(readySegments, voicedSegments) });
  const extent =
    project.audioMs !== undefined && project.audioMs > 0
      ? length(project.audioMs)
      : project.characters !== undefined && project.characters > 0
        ? t("library.characters", { count: project.characters, formatted: count(project.characters) })
        : project.segments > 0
          ? t("library.sentences", { count: project.segments, formatted: count(project.segments) })
          : undefined;
  return (
    <li>
      <Link
        to="/projects/$projectId"
        params={{ projectId: project.id }}
        className="group flex items-center gap-4 rounded-lg px-3 py-4 transition-colors hover:bg-surface sm:gap-6"
      >
        <Cover project={project} size="small" />
        <div className="min-w-0 flex-1">
          <h2 lang={project.language} className="font-book text-lg leading-snug group-hover:text-accent sm:text-xl">
            {project.title}
          </h2>
          <p className="truncate text-sm text-soft">
            {project.authors.length > 0 ? project.authors.join(", ") : project.fileName}
          </p>
          <div className="mt-3 flex items-center gap-4 text-sm">
            {project.importState === "failed" ? null : (
              <div className="max-w-72 flex-1">
                <Thread
                  label={project.title}
                  {...(project.importState === "ready"
                    ? { value: readySegments, total: Math.max(1, voicedSegments) }
                    : {})}
                />
              </div>
            )}
            <span className={`tabular shrink-0 ${project.importState === "failed" ? "text-bad" : "text-soft"}`}>
              {state}
            </span>
          </div>
        </div>
        {extent === undefined ? null : (
          <span className="tabular hidden shrink-0 text-sm text-soft sm:block">{extent}</span>
        )}
      </Link>
    </li>
  );
}

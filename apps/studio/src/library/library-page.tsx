import { useQuery } from "@tanstack/react-query";
import { projectsQuery } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { Loading } from "../parts/loading.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { useTexts } from "../texts/use-texts.ts";
import { DropZone } from "./drop-zone.tsx";
import { ProjectRow } from "./project-row.tsx";

/** The books, and the place to add one. */
export function LibraryPage() {
  const { t, error: errorText } = useTexts();
  const { data, error, refetch } = useQuery(projectsQuery);
  return (
    <div className="space-y-8">
      <PageTitle text={t("library.title")} />
      <h1 className="sr-only">{t("library.title")}</h1>
      <DropZone />
      {data === undefined ? (
        error ? (
          <ErrorNotice error={errorText(error)}>
            <Button onClick={() => void refetch()}>{t("app.tryAgain")}</Button>
          </ErrorNotice>
        ) : (
          <Loading />
        )
      ) : data.length === 0 ? (
        <div className="flex items-center justify-center gap-8 py-14 sm:gap-12">
          <span
            aria-hidden="true"
            lang="ja"
            className="font-book text-7xl leading-none tracking-[0.15em] text-accent [writing-mode:vertical-rl] sm:text-8xl"
          >
            語り
          </span>
          <div>
            <p className="font-book text-2xl sm:text-3xl">{t("library.empty")}</p>
            <p className="running-text mt-3 max-w-sm text-soft">{t("library.emptyHint")}</p>
          </div>
        </div>
      ) : (
        <ul className="divide-y divide-line border-t border-line">
          {data.map((project) => (
            <ProjectRow key={project.id} project={project} />
          ))}
        </ul>
      )}
    </div>
  );
}

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
        <div className="py-10 text-center">
          <p className="font-book text-2xl">{t("library.empty")}</p>
          <p className="mx-auto mt-2 max-w-md text-soft">{t("library.emptyHint")}</p>
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

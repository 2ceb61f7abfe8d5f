import { Link, useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ProjectDetail } from "@katari/contracts";
import { ApiError } from "../api/client.ts";
import { useLiveProject } from "../api/live-project.ts";
import { deleteProject, projectsQuery } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { Cover } from "../parts/cover.tsx";
import { Loading } from "../parts/loading.tsx";
import { NotFound } from "../parts/not-found.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Thread } from "../parts/thread.tsx";
import { useTexts } from "../texts/use-texts.ts";
import { Chapters } from "./chapters.tsx";
import { Exports } from "./exports.tsx";
import { LeftOut } from "./left-out.tsx";
import { Narration } from "./narration.tsx";

/** One book: what it is, its narration, its chapters, its files. */
export function ProjectPage({ projectId }: { projectId: string }) {
  const { t, error: errorText } = useTexts();
  const { data: project, error, refetch } = useLiveProject(projectId);
  if (error instanceof ApiError && error.code === "not-found") return <NotFound />;
  if (!project)
    return error ? (
      <ErrorNotice error={errorText(error)}>
        <Button onClick={() => void refetch()}>{t("app.tryAgain")}</Button>
      </ErrorNotice>
    ) : (
      <Loading lines={5} />
    );
  return (
    <div className="space-y-10">
      <PageTitle text={project.title} />
      <Head project={project} />
      <Body project={project} />
    </div>
  );
}

function Head({ project }: { project: ProjectDetail }) {
  const { t, languageName, count, length } = useTexts();
  const characters = project.documents.reduce((sum, one) => sum + one.characters, 0);
  const audioMs = project.documents.reduce((sum, one) => sum + one.audioMs, 0);
  const facts = [
    // A source that could not be read has no language.
    ...(project.language === "und" ? [] : [languageName(project.language)]),
    ...(characters > 0 ? [t("library.characters", { count: characters, formatted: count(characters) })] : []),
    ...(audioMs > 0 ? [length(audioMs)] : []),
  ];
  return (
    <header>
      <Link to="/" className="mb-4 inline-flex min-h-9 items-center text-sm text-soft hover:text-accent">
        <span aria-hidden="true">←&nbsp;</span>
        {t("app.library")}
      </Link>
      <div className="flex items-end gap-5 sm:gap-8">
        <Cover project={project} size="large" />
        <div className="min-w-0 pb-1">
          <h1 lang={project.language} className="font-book text-2xl leading-tight sm:text-4xl">
            {project.title}
          </h1>
          <p className="mt-2 text-lg text-soft">
            {project.authors.length > 0
              ? t("project.by", { authors: project.authors.join(", ") })
              : project.importState === "ready"
                ? t("project.authorUnknown")
                : project.fileName}
          </p>
          <p className="tabular mt-3 text-sm text-soft">
            {facts.map((fact) => fact.replaceAll(" ", "\u00a0")).join(" · ")}
          </p>
        </div>
      </div>
    </header>
  );
}

function Body({ project }: { project: ProjectDetail }) {
  const { t, storedError } = useTexts();
  if (project.importState === "failed")
    return (
      <ErrorNotice
        title={t("project.importFailed")}
        error={storedError(project.importCode, project.importMessage, project.importCure)}
      >
        <Remove project={project} />
      </ErrorNotice>
    );
  if (project.importState !== "ready")
    return (
      <section className="max-w-md space-y-3" role="status">
        <p>{t("project.importing")}</p>
        <Thread label={t("project.importing")} />
      </section>
    );
  return (
    <div className="grid gap-10 lg:grid-cols-[minmax(0,1fr)_20rem] lg:gap-12">
      <div className="order-2 min-w-0 space-y-10 lg:order-1">
        <Chapters project={project} />
        <LeftOut skipped={project.skipped} />
        <Remove project={project} />
      </div>
      <aside className="order-1 space-y-8 self-start lg:sticky lg:top-6 lg:order-2">
        <Narration project={project} />
        <Exports project={project} />
      </aside>
    </div>
  );
}

/** Removing asks first: nothing brings the narration back. */
function Remove({ project }: { project: ProjectDetail }) {
  const { t, error: errorText } = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const removal = useMutation({
    mutationFn: () => deleteProject(project.id),
    onSuccess: async () => {
      dialog.current?.close();
      await navigate({ to: "/" });
      client.removeQueries({ queryKey: ["project", project.id] });
      await client.invalidateQueries({ queryKey: projectsQuery.queryKey });
    },
  });
  return (
    <>
      <Button look="quiet" className="-ms-4" onClick={() => dialog.current?.showModal()}>
        {t("project.remove")}
      </Button>
      <dialog
        ref={dialog}
        aria-labelledby="remove-title"
        className="m-auto w-[min(28rem,calc(100vw-2rem))] rounded-lg bg-surface p-6 text-ink shadow-xl"
      >
        <h2 id="remove-title" className="font-book text-xl">
          {t("project.removeTitle", { title: project.title })}
        </h2>
        <p className="running-text mt-3 text-sm text-soft">{t("project.removeBody")}</p>
        {removal.error ? (
          <div className="mt-4">
            <ErrorNotice error={errorText(removal.error)} />
          </div>
        ) : null}
        <div className="mt-6 flex justify-end gap-2">
          <Button onClick={() => dialog.current?.close()}>{t("app.cancel")}</Button>
          <Button look="danger" disabled={removal.isPending} onClick={() => removal.mutate()}>
            {t("project.removeConfirm")}
          </Button>
        </div>
      </dialog>
    </>
  );
}

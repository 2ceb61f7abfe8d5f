import type { Segment } from "@katari/contracts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { ApiError } from "../api/client.ts";
import { useLiveProject } from "../api/live-project.ts";
import { segmentsQuery } from "../api/queries.ts";
import { Button, buttonClass } from "../parts/button.tsx";
import { Loading } from "../parts/loading.tsx";
import { NotFound } from "../parts/not-found.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { useTexts } from "../texts/use-texts.ts";
import { PlayerBar } from "./player-bar.tsx";
import { SentenceFlow } from "./sentence-flow.tsx";
import { usePlayer } from "./use-player.ts";

const noSegments: readonly Segment[] = [];

/** A chapter to read and to listen to, while it is still being narrated too. */
export function ReaderPage({ projectId, documentId }: { projectId: string; documentId: string }) {
  const { t, error: errorText } = useTexts();
  const project = useLiveProject(projectId);
  const query = useQuery(segmentsQuery(projectId, documentId));
  const segments = query.data ?? noSegments;
  const { player, view } = usePlayer(projectId, segments);
  useSpaceKey(player.toggle);

  const error = project.error ?? query.error;
  const documents = project.data?.documents ?? [];
  const place = documents.findIndex((one) => one.id === documentId);
  const chapter = documents[place];
  if ((error instanceof ApiError && error.code === "not-found") || (project.data && !chapter)) return <NotFound />;
  if (!project.data || !query.data || !chapter)
    return error ? (
      <ErrorNotice error={errorText(error)}>
        <Button onClick={() => void Promise.all([project.refetch(), query.refetch()])}>{t("app.tryAgain")}</Button>
      </ErrorNotice>
    ) : (
      <Loading lines={6} />
    );
  const title = chapter.title === "" ? t("project.chapter", { index: chapter.index }) : chapter.title;
  return (
    <article className="mx-auto max-w-2xl pb-40">
      <PageTitle text={`${title} · ${project.data.title}`} />
      <Link
        to="/projects/$projectId"
        params={{ projectId }}
        className="mb-4 inline-flex min-h-9 items-center text-sm text-soft hover:text-accent"
      >
        <span aria-hidden="true">←&nbsp;</span>
        <span lang={project.data.language}>{project.data.title}</span>
      </Link>
      {/* The chapter's own heading is a sentence that can be heard; its title is not shown twice. */}
      <h1
        lang={project.data.language}
        className={segments[0]?.blockKind === "heading" ? "sr-only" : "font-book text-3xl leading-tight sm:text-4xl"}
      >
        {title}
      </h1>
      <p className="mt-1 text-sm text-soft">{t("reader.help")}</p>
      {segments.length === 0 ? (
        <p className="mt-8 text-soft">{t("reader.empty")}</p>
      ) : (
        <SentenceFlow segments={segments} at={view.at} language={project.data.language} onChoose={player.playFrom} />
      )}
      <nav className="mt-10 flex justify-between gap-3">
        <Neighbour projectId={projectId} documentId={documents[place - 1]?.id} label={t("reader.previousChapter")} />
        <Neighbour projectId={projectId} documentId={documents[place + 1]?.id} label={t("reader.nextChapter")} />
      </nav>
      <PlayerBar player={player} view={view} segments={segments} />
    </article>
  );
}

function Neighbour({
  projectId,
  documentId,
  label,
}: {
  projectId: string;
  documentId: string | undefined;
  label: string;
}) {
  if (documentId === undefined) return <span />;
  return (
    <Link
      to="/projects/$projectId/documents/$documentId"
      params={{ projectId, documentId }}
      className={buttonClass("plain")}
    >
      {label}
    </Link>
  );
}

/** Space plays and pauses wherever the focus is, except where the key has a meaning of its own. */
function useSpaceKey(toggle: () => void): void {
  const latest = useRef(toggle);
  useEffect(() => {
    latest.current = toggle;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const target = event.target instanceof Element ? event.target : undefined;
      if (event.key !== " " || event.repeat || target?.closest("button, a, input, select, summary") != null) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

import type { Conversion, ProjectDetail } from "@katari/contracts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { commandConversion, completenessQuery, isLive, voicesQuery, type ConversionCommand } from "../api/queries.ts";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { ErrorNotice, Notice } from "../parts/notice.tsx";
import { Thread } from "../parts/thread.tsx";
import type { ShownError } from "../texts/error-texts.ts";
import { useTexts } from "../texts/use-texts.ts";
import { remainingMs, type Sample } from "./remaining-time.ts";
import { StartNarration } from "./start-narration.tsx";
import { voiceName } from "./voices.ts";

const shownFailures = 5;

/** The newest conversion with what can be done about it, or the form that starts one. */
export function Narration({ project }: { project: ProjectDetail }) {
  const { t } = useTexts();
  const latest = project.conversions.reduce<Conversion | undefined>(
    (newest, one) => (newest && newest.createdAtMs >= one.createdAtMs ? newest : one),
    undefined,
  );
  return (
    <section aria-labelledby="narration" className="rounded-lg border border-line bg-surface p-5">
      <h2 id="narration" className="font-book text-xl">
        {t("narration.title")}
      </h2>
      <div className="mt-4 space-y-5">
        {latest ? <Running project={project} conversion={latest} /> : null}
        {latest && isLive(latest) ? null : latest === undefined || latest.state === "cancelled" ? (
          <StartNarration project={project} label={t("narration.start")} />
        ) : (
          <details>
            <summary className="min-h-9 text-sm text-soft hover:text-accent">{t("narration.changeVoice")}</summary>
            <div className="mt-4">
              <StartNarration project={project} label={t("narration.startAgain")} />
            </div>
          </details>
        )}
      </div>
    </section>
  );
}

function Running({ project, conversion }: { project: ProjectDetail; conversion: Conversion }) {
  const { t, count, languageName, error: errorText } = useTexts();
  const client = useQueryClient();
  const voices = useQuery(voicesQuery);
  const command = useMutation({
    mutationFn: (name: ConversionCommand) => commandConversion(conversion.id, name),
    onSettled: () => client.invalidateQueries({ queryKey: ["project", project.id] }),
  });
  const known = voices.data?.find((one) => one.id === conversion.voice);
  const voice = known ? voiceName(known, languageName) : conversion.voice;
  const chosen = project.documents.filter(
    (one) => conversion.documents.length === 0 || conversion.documents.includes(one.id),
  );
  const ready = chosen.reduce((sum, one) => sum + one.readySegments, 0);
  // A chapter whose text is not planned yet counts with all its sentences: nothing is whole before it is there.
  const total = chosen.reduce((sum, one) => sum + (one.voicedSegments || one.segments), 0);
  const { state } = conversion;
  const button = (name: ConversionCommand, look: "primary" | "plain" | "quiet", label: string) => (
    <Button key={name} look={look} disabled={command.isPending} onClick={() => command.mutate(name)}>
      {label}
    </Button>
  );
  const buttons = [
    ...(state === "planning" || state === "running" ? [button("pause", "plain", t("narration.pause"))] : []),
    ...(state === "paused" || state === "pausing" ? [button("resume", "primary", t("narration.resume"))] : []),
    ...(isLive(conversion) && state !== "cancelling" ? [button("cancel", "quiet", t("narration.cancel"))] : []),
  ];
  return (
    <div className="space-y-3">
      <div className="flex items-baseline justify-between gap-3">
        <p className="font-medium">{t(`narration.state.${state}`)}</p>
        <p className="tabular text-sm text-soft">
          {count(ready)} / {count(total)}
        </p>
      </div>
      {state === "planning" ? (
        <Thread label={t("narration.state.planning")} />
      ) : (
        <Thread value={ready} total={Math.max(1, total)} label={t("narration.title")} />
      )}
      <p className="tabular flex flex-wrap justify-between gap-x-3 text-sm text-soft">
        <span>{t("narration.voiceAndSpeed", { voice, speed: `${count(conversion.speed)}×` })}</span>
        {state === "running" ? <Remaining ready={ready} total={total} /> : null}
      </p>
      <Announcement state={t(`narration.state.${state}`)} ready={ready} total={total} />
      {conversion.waitingForWorkerSinceMs !== undefined && isLive(conversion) ? (
        <Notice tone="warn">{t("narration.waitingForWorker")}</Notice>
      ) : null}
      {conversion.failed > 0 ? (
        <Failures
          project={project}
          retry={state === "failed" ? button("retry", "primary", t("narration.retry")) : undefined}
        />
      ) : null}
      {command.error ? <ErrorNotice error={errorText(command.error)} /> : null}
      {buttons.length > 0 ? <div className="flex flex-wrap gap-2">{buttons}</div> : null}
    </div>
  );
}

/** Time that is left, from the speed since the page was opened. */
function Remaining({ ready, total }: { ready: number; total: number }) {
  const { t, length } = useTexts();
  const [first] = useState<Sample>(() => ({ atMs: Date.now(), ready }));
  const [now, setNow] = useState<Sample>(first);
  const latest = useRef(ready);
  useEffect(() => {
    latest.current = ready;
  });
  useEffect(() => {
    const timer = setInterval(() => setNow({ atMs: Date.now(), ready: latest.current }), 5_000);
    return () => clearInterval(timer);
  }, []);
  const left = remainingMs(first, now, total);
  return left === undefined ? null : <span>{t("narration.left", { time: length(left) })}</span>;
}

/** Tells people who cannot see the line how far it is: at each tenth, not at each sentence. */
function Announcement({ state, ready, total }: { state: string; ready: number; total: number }) {
  const { t, count } = useTexts();
  const tenth = total > 0 ? Math.floor((ready / total) * 10) : 0;
  const shown = Math.ceil((tenth / 10) * total);
  return (
    <p aria-live="polite" className="sr-only">
      {t("project.updated", { state, ready: count(ready === total ? total : shown), total: count(total) })}
    </p>
  );
}

function Failures({ project, retry }: { project: ProjectDetail; retry: ReactNode }) {
  const { t, count, storedError } = useTexts();
  const { data } = useQuery(completenessQuery(project.id));
  const failed = data?.failed ?? [];
  if (failed.length === 0) return retry ? <div>{retry}</div> : null;
  return (
    <Notice tone="bad">
      <p className="font-semibold text-bad">
        {t("narration.failures", { count: failed.length, formatted: count(failed.length) })}
      </p>
      <ul className="mt-2 space-y-2">
        {failed.slice(0, shownFailures).map((one) => (
          <li key={one.segmentId}>
            <p lang={project.language} className="line-clamp-2 font-book">
              {one.text}
            </p>
            <FailureReason error={storedError(one.code, one.reason, one.cure)} />
          </li>
        ))}
      </ul>
      {failed.length > shownFailures ? (
        <p className="mt-2 text-xs">
          {t("narration.moreFailures", { formatted: count(failed.length - shownFailures) })}
        </p>
      ) : null}
      {retry ? <div className="mt-3">{retry}</div> : null}
    </Notice>
  );
}

/** Why a sentence has no sound, and what to do; the server's own words only where they are in another language. */
function FailureReason({ error }: { error: ShownError }) {
  return (
    <>
      <p className="text-xs text-soft">
        {error.message} {error.cure}
      </p>
      {error.original === undefined ? null : (
        <p lang="en" className="text-xs text-soft">
          {error.original}
        </p>
      )}
    </>
  );
}

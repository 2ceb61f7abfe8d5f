import type { Export, ProjectDetail, StartExport } from "@katari/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RadioGroup } from "radix-ui";
import { useState } from "react";
import { exportUrl, startExport } from "../api/queries.ts";
import { Button, buttonClass } from "../parts/button.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { Thread } from "../parts/thread.tsx";
import { useTexts } from "../texts/use-texts.ts";

const formats = ["m4b", "mp3", "flac", "wav"] as const satisfies readonly Export["format"][];

/** Makes audiobook files, shows how far they are, and keeps those that were made. */
export function Exports({ project }: { project: ProjectDetail }) {
  const { t, count, error: errorText } = useTexts();
  const client = useQueryClient();
  const [format, setFormat] = useState<(typeof formats)[number]>("m4b");
  const finished = project.documents.filter((one) => one.readySegments >= one.voicedSegments && one.readySegments > 0);
  // A chapter that nobody has asked for has no voiced sentences yet, but is missing all the same.
  const whole = finished.length > 0 && finished.length === project.documents.filter((one) => one.segments > 0).length;
  const start = useMutation({
    mutationFn: (input: StartExport) => startExport(project.id, input),
    onSettled: () => client.invalidateQueries({ queryKey: ["project", project.id] }),
  });
  return (
    <section aria-labelledby="exports" className="rounded-lg border border-line bg-surface p-5">
      <h2 id="exports" className="font-book text-xl">
        {t("exports.title")}
      </h2>
      {finished.length === 0 ? (
        <p className="mt-3 text-sm text-soft">{t("exports.nothingReady")}</p>
      ) : (
        <div className="mt-4 space-y-4">
          <RadioGroup.Root
            value={format}
            aria-label={t("exports.format")}
            className="grid grid-cols-4 gap-1 rounded-md bg-sunken p-1"
            onValueChange={(value) => setFormat(formats.find((one) => one === value) ?? "m4b")}
          >
            {formats.map((one) => (
              <RadioGroup.Item
                key={one}
                value={one}
                className="min-h-9 rounded text-sm text-soft data-[state=checked]:bg-surface data-[state=checked]:font-medium data-[state=checked]:text-ink data-[state=checked]:shadow-sm"
              >
                {one.toUpperCase()}
              </RadioGroup.Item>
            ))}
          </RadioGroup.Root>
          <p className="text-sm text-soft">{t(`exports.formats.${format}`)}</p>
          {whole ? null : (
            <p className="text-sm">
              {t("exports.onlyReady", { ready: count(finished.length), total: count(project.documents.length) })}
            </p>
          )}
          <Button
            className="w-full"
            look={whole ? "primary" : "plain"}
            disabled={start.isPending}
            onClick={() => start.mutate(whole ? { format } : { format, documents: finished.map((one) => one.id) })}
          >
            {t("exports.make")}
          </Button>
          {start.error ? <ErrorNotice error={errorText(start.error)} /> : null}
        </div>
      )}
      {project.exports.length > 0 ? (
        <>
          <h3 className="mt-6 text-sm text-soft">{t("exports.history")}</h3>
          <ul className="mt-1 divide-y divide-line">
            {[...project.exports]
              .sort((a, b) => b.createdAtMs - a.createdAtMs)
              .map((one) => (
                <Made key={one.id} made={one} />
              ))}
          </ul>
        </>
      ) : null}
    </section>
  );
}

function Made({ made }: { made: Export }) {
  const { t, length, size, date, percent, storedError } = useTexts();
  const format = made.format.toUpperCase();
  const facts = [
    date(made.createdAtMs),
    ...(made.lengthMs === undefined ? [] : [length(made.lengthMs)]),
    ...(made.sizeBytes === undefined ? [] : [size(made.sizeBytes)]),
  ];
  return (
    <li className="py-3 text-sm">
      <div className="flex items-center justify-between gap-3">
        <div className="min-w-0">
          <p className="font-medium">
            {format}
            {made.state === "ready" ? null : (
              <span className="ms-2 font-normal text-soft">{t(`exports.state.${made.state}`)}</span>
            )}
          </p>
          <p className="tabular text-xs text-soft">{facts.join(" · ")}</p>
        </div>
        {made.state === "ready" ? (
          <a
            href={exportUrl(made.id)}
            download
            aria-label={t("exports.downloadName", { name: made.fileName ?? format })}
            className={buttonClass("plain")}
          >
            {t("exports.download")}
          </a>
        ) : null}
      </div>
      {made.state === "running" || made.state === "waiting" ? (
        <div className="mt-2">
          <Thread
            label={t("exports.making", { format, percent: percent(made.progress, 1) })}
            {...(made.state === "running" ? { value: made.progress, total: 1 } : {})}
          />
        </div>
      ) : null}
      {made.state === "failed" ? (
        <div className="mt-2">
          <ErrorNotice error={storedError(made.code, made.message, made.cure)} />
        </div>
      ) : null}
    </li>
  );
}

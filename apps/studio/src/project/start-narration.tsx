import type { ProjectDetail, Voice } from "@katari/contracts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { startConversion, voicesQuery } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { Loading } from "../parts/loading.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { useTexts } from "../texts/use-texts.ts";
import { ChooseChapters } from "./choose-chapters.tsx";
import { sortVoices, voiceName } from "./voices.ts";

/** Voice, speed and chapters, and the button that starts. */
export function StartNarration({ project, label }: { project: ProjectDetail; label: string }) {
  const { t, count, error: errorText, languageName } = useTexts();
  const client = useQueryClient();
  const voices = useQuery(voicesQuery);
  const [voice, setVoice] = useState<string>();
  const [speed, setSpeed] = useState(1);
  const speedId = useId();
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const documents = project.documents.filter(({ id }) => !leftOut.has(id)).map(({ id }) => id);
  // One key for one wish, also when it is sent twice because the answer was lost.
  const key = useRef(crypto.randomUUID());
  const sorted = voices.data ? sortVoices(voices.data, project.language) : [];
  const chosen = voice ?? sorted.find((one) => one.installed)?.id;
  const start = useMutation({
    mutationFn: (id: string) =>
      startConversion(
        project.id,
        { voice: id, speed, ...(documents.length === project.documents.length ? {} : { documents }) },
        key.current,
      ),
    onSuccess: async () => {
      key.current = crypto.randomUUID();
      await client.invalidateQueries({ queryKey: ["project", project.id] });
    },
  });
  /** For what changes the wish: sent again, it is another one. */
  const change = (set: () => void): void => {
    key.current = crypto.randomUUID();
    set();
  };
  const option = (one: Voice) => (
    <option key={one.id} value={one.id} disabled={!one.installed}>
      {voiceName(one, languageName)}
    </option>
  );
  const missing = sorted.filter((one) => !one.installed);
  if (!voices.data) return voices.error ? <ErrorNotice error={errorText(voices.error)} /> : <Loading lines={2} />;
  return (
    <form
      className="space-y-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== undefined) start.mutate(chosen);
      }}
    >
      <label className="block text-sm">
        <span className="text-soft">{t("narration.voice")}</span>
        <select
          value={chosen ?? ""}
          onChange={(event) => change(() => setVoice(event.target.value))}
          className="mt-1 block min-h-11 w-full rounded-md border border-line bg-paper px-3"
        >
          {sorted.filter((one) => one.installed).map(option)}
          {missing.length > 0 ? <optgroup label={t("narration.notInstalled")}>{missing.map(option)}</optgroup> : null}
        </select>
      </label>
      {sorted.every((one) => !one.installed) ? <p className="text-sm text-bad">{t("narration.noVoice")}</p> : null}
      {missing.length > 0 ? <p className="text-xs text-soft">{t("narration.installHint")}</p> : null}
      <div className="text-sm">
        <div className="flex justify-between">
          {/* Not around both: a label names the first control in it, and an output is one. */}
          <label htmlFor={speedId} className="text-soft">
            {t("narration.speed")}
          </label>
          <output htmlFor={speedId} className="tabular">
            {speed === 1 ? t("narration.normalSpeed", { speed: `${count(speed)}×` }) : `${count(speed)}×`}
          </output>
        </div>
        <input
          id={speedId}
          type="range"
          min={0.5}
          max={2}
          step={0.05}
          value={speed}
          aria-valuetext={`${count(speed)}×`}
          onChange={(event) => change(() => setSpeed(Number(event.target.value)))}
          className="mt-1 h-9 w-full"
        />
      </div>
      {project.documents.length > 1 ? (
        <ChooseChapters project={project} leftOut={leftOut} onChange={(next) => change(() => setLeftOut(next))} />
      ) : null}
      {start.error ? <ErrorNotice error={errorText(start.error)} /> : null}
      <Button
        type="submit"
        look="primary"
        className="w-full"
        disabled={chosen === undefined || documents.length === 0 || start.isPending}
      >
        {label}
      </Button>
    </form>
  );
}

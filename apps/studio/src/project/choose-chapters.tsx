import type { ProjectDetail } from "@katari/contracts";
import { useTexts } from "../texts/use-texts.ts";

const boxClass = "size-4 shrink-0 accent-accent";
const lineClass = "flex min-h-9 items-center gap-3";

/** Which chapters are narrated: all, unless somebody opens the list and leaves some out. */
export function ChooseChapters({
  project,
  leftOut,
  onChange,
}: {
  project: ProjectDetail;
  /** Ids of the documents that are not wanted. */
  leftOut: ReadonlySet<string>;
  onChange: (leftOut: ReadonlySet<string>) => void;
}) {
  const { t, count } = useTexts();
  const total = project.documents.length;
  const chosen = project.documents.filter(({ id }) => !leftOut.has(id)).length;
  const toggle = (id: string): void => {
    const next = new Set(leftOut);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <details className="group text-sm">
      <summary className="flex min-h-9 items-center justify-between gap-3 marker:content-none">
        <span className="text-soft">
          <span aria-hidden="true" className="me-2 inline-block transition-transform group-open:rotate-90">
            ›
          </span>
          {t("narration.chapters")}
        </span>
        <span className="tabular">
          {chosen === total
            ? t("narration.allChapters")
            : t("narration.someChapters", { chosen: count(chosen), total: count(total) })}
        </span>
      </summary>
      <div role="group" aria-label={t("narration.chapters")} className="mt-1 border-t border-line pt-1">
        <label className={lineClass}>
          <input
            type="checkbox"
            className={boxClass}
            checked={chosen === total}
            ref={(box) => {
              if (box) box.indeterminate = chosen > 0 && chosen < total;
            }}
            onChange={() => onChange(new Set(chosen === total ? project.documents.map(({ id }) => id) : []))}
          />
          {t("narration.allChapters")}
        </label>
        <ul className="max-h-64 overflow-y-auto">
          {project.documents.map((one) => (
            <li key={one.id}>
              <label className={lineClass}>
                <input
                  type="checkbox"
                  className={boxClass}
                  checked={!leftOut.has(one.id)}
                  onChange={() => toggle(one.id)}
                />
                <span lang={one.title === "" ? undefined : project.language} className="min-w-0 truncate">
                  {one.title === "" ? t("project.chapter", { index: one.index }) : one.title}
                </span>
              </label>
            </li>
          ))}
        </ul>
      </div>
      {chosen === 0 ? <p className="mt-1 text-bad">{t("narration.noChapters")}</p> : null}
    </details>
  );
}

import type { ProjectDetail } from "@katari/contracts";
import { useTexts } from "../texts/use-texts.ts";
import { en } from "../texts/en.ts";

type Rule = keyof typeof en.leftOut.rule;
const isRule = (rule: string): rule is Rule => Object.hasOwn(en.leftOut.rule, rule);

/** What of the source is not voiced, by the reader's rule. */
export function LeftOut({ skipped }: { skipped: ProjectDetail["skipped"] }) {
  const { t, count } = useTexts();
  if (skipped.length === 0) return <p className="text-sm text-soft">{t("leftOut.none")}</p>;
  return (
    <details className="group">
      <summary className="flex min-h-11 items-center gap-2 font-book text-xl marker:content-none">
        <span aria-hidden="true" className="text-base text-soft transition-transform group-open:rotate-90">
          ›
        </span>
        {t("leftOut.title")}
        <span className="tabular font-sans text-sm text-soft">{count(skipped.length)}</span>
      </summary>
      <p className="text-sm text-soft">{t("leftOut.lead")}</p>
      <ul className="mt-3 divide-y divide-line border-y border-line text-sm">
        {skipped.map((one, index) => (
          // The list never changes its order, and nothing in it is unique.
          <li key={index} className="flex items-baseline justify-between gap-4 py-2">
            <span className="min-w-0">
              {one.title === "" || one.title === one.rule ? null : <span className="me-2">{one.title}</span>}
              <span className="text-soft">{isRule(one.rule) ? t(`leftOut.rule.${one.rule}`) : one.rule}</span>
            </span>
            <span className="tabular shrink-0 text-soft">
              {t("library.characters", { count: one.characters, formatted: count(one.characters) })}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

import { useTexts } from "../texts/use-texts.ts";
import { PageTitle } from "./page-title.tsx";

/** For a browser that has no session. */
export function Locked() {
  const { t } = useTexts();
  return (
    <section className="mx-auto max-w-xl py-12">
      <PageTitle text={t("locked.title")} />
      <h1 className="font-book text-3xl">{t("locked.title")}</h1>
      <p className="mt-4 text-soft">{t("locked.body")}</p>
      <p className="mt-6 text-sm text-soft">{t("locked.hint")}</p>
      <code className="mt-2 block overflow-x-auto rounded-md bg-sunken px-4 py-3 text-sm">
        {`${window.location.origin}/open?token=…`}
      </code>
    </section>
  );
}

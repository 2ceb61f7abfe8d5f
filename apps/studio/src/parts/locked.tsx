import { useTexts } from "../texts/use-texts.ts";
import { PageTitle } from "./page-title.tsx";

/** For a browser that has no session, or that came with a link which gave it none. */
export function Locked({ wrongLink = false }: { wrongLink?: boolean }) {
  const { t } = useTexts();
  const title = t(wrongLink ? "locked.wrongTitle" : "locked.title");
  return (
    <section className="mx-auto max-w-xl py-12">
      <PageTitle text={title} />
      <h1 className="font-book text-3xl">{title}</h1>
      <p className="running-text mt-4 text-soft">{t(wrongLink ? "locked.wrongBody" : "locked.body")}</p>
      <p className="mt-6 text-sm text-soft">{t("locked.hint")}</p>
      <code className="mt-2 block overflow-x-auto rounded-md bg-sunken px-4 py-3 text-sm">
        {`${window.location.origin}/open?token=…`}
      </code>
    </section>
  );
}

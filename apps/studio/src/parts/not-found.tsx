import { Link } from "@tanstack/react-router";
import { useTexts } from "../texts/use-texts.ts";
import { buttonClass } from "./button.tsx";

/** For addresses that lead nowhere. */
export function NotFound() {
  const { t } = useTexts();
  return (
    <section className="py-16 text-center">
      <p className="font-book text-2xl">{t("app.notFound")}</p>
      <Link to="/" className={`${buttonClass("plain")} mt-6`}>
        {t("app.back")}
      </Link>
    </section>
  );
}

import type { Problem } from "@katari/contracts";
import { useTranslation } from "react-i18next";
import { ApiError } from "../api/client.ts";
import type { Language } from "./catalogue.ts";
import { shownErrorOf, type ShownError } from "./error-texts.ts";
import * as format from "./format.ts";

/** Texts and figures in the reader's language. */
export function useTexts() {
  const { t, i18n } = useTranslation();
  const language = (i18n.resolvedLanguage ?? "en") as Language;
  return {
    t,
    language,
    length: (ms: number) => format.formatLength(ms, language),
    percent: (done: number, total: number) => format.formatPercent(done, total, language),
    count: (value: number) => format.formatCount(value, language),
    size: (bytes: number) => format.formatSize(bytes, language),
    date: (atMs: number) => format.formatDate(atMs, language),
    languageName: (tag: string) => format.formatLanguage(tag, language),
    /** For errors that were thrown. */
    error: (error: unknown): ShownError => {
      if (!(error instanceof ApiError) || error.code === "offline")
        return { message: t("errors.offline"), cure: t("errors.offlineCure") };
      return shownErrorOf(error.code, error.message, error.cure, language);
    },
    /** For errors that stand in an answer (a failed import or export). */
    storedError: (code: Problem["code"] | undefined, message: string | undefined, cure: string | undefined) =>
      shownErrorOf(code ?? "internal", message ?? "", cure, language),
  };
}

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ToggleGroup } from "radix-ui";
import { useEffect, type ReactNode } from "react";
import { useConnection, type ConnectionStore } from "../api/connection.ts";
import { languages, type Language } from "../texts/catalogue.ts";
import { changeLanguage } from "../texts/language.ts";
import { useTexts } from "../texts/use-texts.ts";
import { Locked } from "./locked.tsx";
import { Notice } from "./notice.tsx";

const languageNames: Readonly<Record<Language, string>> = { en: "English", ja: "日本語" };

/** What stands around every page: the name, the language, and what is to be said about the connection. */
export function Frame({ connection, children }: { connection: ConnectionStore; children: ReactNode }) {
  const { t } = useTexts();
  const state = useConnection(connection);
  return (
    <>
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-md focus:bg-surface focus:px-4 focus:py-2"
      >
        {t("app.skip")}
      </a>
      <header className="border-b border-line">
        <div className="mx-auto flex max-w-5xl items-center justify-between gap-4 px-4 py-3 sm:px-6">
          <Link to="/" className="flex items-center gap-3">
            <Mark />
            <span className="flex flex-col leading-none">
              <span className="font-book text-xl tracking-wide">{t("app.name")}</span>
              <span className="mt-1 hidden text-xs text-soft sm:block">{t("app.tagline")}</span>
            </span>
            <span className="sr-only">{t("app.library")}</span>
          </Link>
          <LanguageSwitch />
        </div>
      </header>
      {state === "offline" ? <Offline /> : null}
      <main id="content" tabIndex={-1} className="mx-auto max-w-5xl px-4 py-8 outline-none sm:px-6">
        {state === "locked" ? <Locked /> : children}
      </main>
    </>
  );
}

/** 語り, written downwards beside the thread of a voice. */
function Mark() {
  return (
    <span
      aria-hidden="true"
      lang="ja"
      className="flex rounded-md bg-[#1f4583] px-1.5 py-1.5 font-book text-sm leading-none tracking-[0.1em] text-white [writing-mode:vertical-rl]"
    >
      語り
    </span>
  );
}

function LanguageSwitch() {
  const { t, language } = useTexts();
  return (
    <ToggleGroup.Root
      type="single"
      value={language}
      aria-label={t("app.language")}
      className="flex rounded-md border border-line p-0.5"
      onValueChange={(value) => {
        const chosen = languages.find((one) => one === value);
        if (chosen) void changeLanguage(chosen);
      }}
    >
      {languages.map((one) => (
        <ToggleGroup.Item
          key={one}
          value={one}
          lang={one}
          className="min-h-9 rounded px-3 text-sm text-soft data-[state=on]:bg-accent-wash data-[state=on]:text-accent"
        >
          {languageNames[one]}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}

/** Says that the server is away, and asks it until it is back. */
function Offline() {
  const { t } = useTexts();
  const client = useQueryClient();
  const { data: alive } = useQuery({
    queryKey: ["alive"],
    queryFn: async ({ signal }) => (await fetch("/health/live", { signal })).ok,
    refetchInterval: 3_000,
    gcTime: 0,
    retry: false,
    // Its own success must not count as the answer of a page's question.
    meta: { probe: true },
  });
  useEffect(() => {
    if (alive === true) void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "alive" });
  }, [alive, client]);
  return (
    <div className="mx-auto max-w-5xl px-4 pt-4 sm:px-6">
      <Notice tone="warn">{t("app.offline")}</Notice>
    </div>
  );
}

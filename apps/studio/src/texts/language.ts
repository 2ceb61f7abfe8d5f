import { createInstance } from "i18next";
import { initReactI18next } from "react-i18next";
import { languages, type Language } from "./catalogue.ts";
import { en } from "./en.ts";
import { ja } from "./ja.ts";

const texts = createInstance();
const storageKey = "katari.language";

/** The first of the wanted languages (BCP 47 tags, best first) that the studio speaks; English when there is none. */
export function chooseLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const found = languages.find((language) => tag.toLowerCase().split("-")[0] === language);
    if (found) return found;
  }
  return "en";
}

/** The person's earlier choice; storage may be shut off, which only means that there is none. */
function remembered(): string[] {
  try {
    const value = localStorage.getItem(storageKey);
    return value === null ? [] : [value];
  } catch {
    return [];
  }
}

/** Prepares the texts in the person's language: the one chosen earlier, else the browser's. */
export async function startTexts(): Promise<void> {
  texts.on("languageChanged", (language) => {
    document.documentElement.lang = language;
  });
  await texts.use(initReactI18next).init({
    resources: { en: { translation: en }, ja: { translation: ja } },
    lng: chooseLanguage([...remembered(), ...navigator.languages]),
    fallbackLng: "en",
    // React escapes what it shows.
    interpolation: { escapeValue: false },
    returnNull: false,
  });
}

/** Changes the language now and for later visits. */
export async function changeLanguage(language: Language): Promise<void> {
  try {
    localStorage.setItem(storageKey, language);
  } catch {
    // Without storage the choice holds for this visit.
  }
  await texts.changeLanguage(language);
}

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof en };
  }
}

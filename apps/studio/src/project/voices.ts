import type { Voice } from "@katari/contracts";

const primary = (tag: string): string => tag.toLowerCase().split("-")[0] ?? "";

/** Voices for a book: those of its language first, installed ones before others, otherwise in the server's order. */
export function sortVoices(voices: readonly Voice[], language: string): Voice[] {
  const rank = (voice: Voice): number =>
    (voice.languages.some((one) => primary(one) === primary(language)) ? 0 : 2) + (voice.installed ? 0 : 1);
  return [...voices].sort((a, b) => rank(a) - rank(b));
}

/**
 * A voice's name with its languages in the reader's language. Titles that bring a language of their own in brackets,
 * `Heart (American English)`, lose it.
 */
export function voiceName(voice: Pick<Voice, "title" | "languages">, languageName: (tag: string) => string): string {
  const title = voice.title.replace(/ \([^()]*\)$/, "");
  return `${title} · ${voice.languages.map(languageName).join(", ")}`;
}

import { errorTextsJa } from "../../apps/studio/src/texts/error-texts.ts";
import { ja } from "../../apps/studio/src/texts/ja.ts";

/** Every text of the Japanese catalogue as a pattern, with anything where it takes a value. */
const japanesePatterns = leaves([ja, errorTextsJa])
  .filter((text) => /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u.test(text))
  .map(
    (text) =>
      new RegExp(
        `^${text
          .split(/\{\{\w+\}\}/u)
          .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&"))
          .join(".*")}$`,
        "u",
      ),
  );

/** Figures with their units, a date and its time, a file's length and size, a speed, a voice with its language. */
const figures = /^[\d\s.,:/%×·]*(?:(?:時間|分|秒|文|字|[kMG]B|英語|日本語)[\d\s.,:/%×·]*)*$/u;
const voice = /^[\w ]+ · (?:アメリカ|イギリス)?(?:英語|日本語)$/u;

/** Whether a text of the page is from the catalogue, one of the names, or made of figures, units and dates alone. */
export function isJapaneseUi(shown: string, names: readonly string[]): boolean {
  // The browser tab names the page, then what it is a part of, then the program.
  const text = shown.replace(/ · Katari$/u, "");
  if (text.split(" · ").every((part) => names.includes(part)) || figures.test(text) || voice.test(text)) return true;
  return japanesePatterns.some((pattern) => pattern.test(text));
}

function leaves(node: unknown): string[] {
  return typeof node === "string" ? [node] : Object.values(node as object).flatMap(leaves);
}

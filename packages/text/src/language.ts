import { detect } from "tinyld";

/**
 * The language of a text as a BCP 47 tag. Kana, Hangul and other scripts of one language decide at once; Latin text of
 * fewer than four words is too little to tell and counts as English, as does what cannot be told at all.
 */
export function detectLanguage(text: string): string {
  const sample = text.slice(0, 4_000);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return "en";
  const share = (script: RegExp): number => (sample.match(script)?.length ?? 0) / letters;
  if (share(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu) > 0.1) return "ja";
  if (share(/\p{Script=Hangul}/gu) > 0.3) return "ko";
  if (share(/\p{Script=Han}/gu) > 0.5) return "zh";
  if (share(/\p{Script=Latin}/gu) > 0.8 && (sample.match(/\p{L}+/gu)?.length ?? 0) < 4) return "en";
  const found = detect(sample);
  return found === "" || found === "und" ? "en" : found;
}

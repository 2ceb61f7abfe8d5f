import type { SourceDocument } from "@katari/core";

const sampleLength = 20_000;
const functionWords: readonly (readonly [string, RegExp])[] = [
  ["en", /\b(?:the|and|of|to|that|was|with|his|her|not)\b/giu],
  ["de", /\b(?:der|die|das|und|nicht|ist|ein|ich|sie|mit)\b/giu],
  ["fr", /\b(?:le|les|des|est|une|dans|qui|que|pas|vous)\b/giu],
  ["es", /\b(?:el|los|las|que|una|con|por|para|pero|como)\b/giu],
  ["it", /\b(?:il|che|di|una|non|per|sono|della|con|gli)\b/giu],
  ["pt", /\b(?:os|que|uma|não|com|para|mais|como|ele|foi)\b/giu],
  ["nl", /\b(?:het|een|van|niet|dat|met|zijn|voor|ook|maar)\b/giu],
];
const scripts: readonly (readonly [string, RegExp])[] = [
  ["ja", /[\u3041-\u30FF]/gu],
  ["ko", /\p{Script=Hangul}/gu],
  ["zh", /\p{Script=Han}/gu],
  ["ru", /\p{Script=Cyrillic}/gu],
  ["el", /\p{Script=Greek}/gu],
  ["ar", /\p{Script=Arabic}/gu],
  ["he", /\p{Script=Hebrew}/gu],
  ["hi", /\p{Script=Devanagari}/gu],
];

/**
 * BCP 47 tag of the language that a source without a declaration is most likely in: by script, and for Latin letters
 * by the commonest function words. `und` when there is too little to tell.
 */
export function guessLanguage(source: string | readonly SourceDocument[]): string {
  const sample = typeof source === "string" ? source.slice(0, sampleLength) : sampleOf(source);
  const count = (pattern: RegExp): number => [...sample.matchAll(pattern)].length;
  const letters = count(/\p{L}/gu);
  if (letters === 0) return "und";
  for (const [language, pattern] of scripts) {
    // Japanese mixes Han with kana, so a tenth of kana is enough.
    if (count(pattern) / letters > (language === "ja" ? 0.1 : 0.3)) return language;
  }
  const scores = functionWords.map(([language, pattern]) => ({ language, score: count(pattern) }));
  const best = scores.sort((a, b) => b.score - a.score)[0];
  return best && best.score >= 2 ? best.language : "und";
}

function sampleOf(documents: readonly SourceDocument[]): string {
  let sample = "";
  for (const document of documents) {
    for (const block of document.blocks) {
      sample += `${block.text}\n`;
      if (sample.length > sampleLength) return sample;
    }
  }
  return sample;
}

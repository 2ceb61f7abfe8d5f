/** ISO 639-1 to 639-2/T, for the languages that voices speak and books come in. */
const threeLetters: Readonly<Record<string, string>> = {
  ar: "ara",
  cs: "ces",
  da: "dan",
  de: "deu",
  el: "ell",
  en: "eng",
  es: "spa",
  fi: "fin",
  fr: "fra",
  hi: "hin",
  it: "ita",
  ja: "jpn",
  ko: "kor",
  la: "lat",
  nb: "nob",
  nl: "nld",
  no: "nor",
  pl: "pol",
  pt: "por",
  ru: "rus",
  sv: "swe",
  tr: "tur",
  uk: "ukr",
  zh: "zho",
};

/** The language of a BCP 47 tag as three letters, which MP4 and ID3 want; `und` where it is not known. */
export function threeLetterLanguage(tag: string): string {
  const primary = tag.toLowerCase().split("-")[0] ?? "";
  if (/^[a-z]{3}$/.test(primary)) return primary;
  return threeLetters[primary] ?? "und";
}

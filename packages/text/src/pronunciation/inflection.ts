import type { StressChange } from "./stress.ts";

/** A way to take a word for an inflected form: the stem to look up, and what the ending adds to its phonemes. */
export interface Inflection {
  readonly stem: string;
  readonly join: (stem: string) => string;
  readonly stress?: StressChange;
  /** Of a stem with several readings, this one is meant: `lived` is from the verb. */
  readonly stemIs?: "VERB" | "NOUN" | "ADJ";
}

const voiceless = new Set("ptkfθ");
const hissing = new Set("szʃʒʧʤ");
/** What stands before a t that American speech flaps. */
const flapping = new Set("AIOWYiuæɑəɛɪɹʊʌ");

const last = (phonemes: string): string => phonemes.at(-1) ?? "";
const flaps = (stem: string): boolean => last(stem) === "t" && flapping.has(stem.at(-2) ?? "");

function withS(stem: string): string {
  if (hissing.has(last(stem))) return `${stem}ᵻz`;
  return stem + (voiceless.has(last(stem)) ? "s" : "z");
}
function withEd(stem: string): string {
  if (last(stem) === "d") return `${stem}ᵻd`;
  if (last(stem) === "t") return flaps(stem) ? `${stem.slice(0, -1)}ɾᵻd` : `${stem}ᵻd`;
  return stem + (voiceless.has(last(stem)) || "sʃʧ".includes(last(stem)) ? "t" : "d");
}
const withVowel =
  (ending: string) =>
  (stem: string): string =>
    flaps(stem) ? `${stem.slice(0, -1)}ɾ${ending}` : stem + ending;
const withLy = (stem: string): string =>
  stem.endsWith("ᵊl") ? `${stem.slice(0, -2)}əli` : last(stem) === "l" ? `${stem}i` : `${stem}li`;
const plus =
  (ending: string) =>
  (stem: string): string =>
    stem + ending;
const before =
  (prefix: string) =>
  (stem: string): string =>
    prefix + stem;

const doubled = /([bdfgklmnprstvz])\1$/;

/** The stems that a spelling before a vowel ending can come from: `mak(ing)`, `runn(ing)`, `tri(ed)`. */
function stems(base: string): string[] {
  const found = [base, `${base}e`];
  if (doubled.test(base)) found.push(base.slice(0, -1));
  if (base.endsWith("i")) found.push(`${base.slice(0, -1)}y`);
  if (base.endsWith("ck")) found.push(base.slice(0, -1));
  return found;
}

const prefixes: readonly (readonly [string, string])[] = [
  ["un", "ˌʌn"],
  ["non", "nˌɑn"],
  ["re", "ɹˌi"],
  ["dis", "dˌɪs"],
  ["over", "ˌOvəɹ"],
  ["under", "ˌʌndəɹ"],
  ["fore", "fˌɔɹ"],
  ["mis", "mˌɪs"],
  ["out", "ˌWt"],
];

/**
 * The inflected and derived forms that a word (lower case, `'` as apostrophe) may be, in the order in which they are
 * to be looked up. -s, -ed and -ing as Misaki pronounces them; -er, -est, -ly, -ness … and prefixes beside them.
 */
export function* inflectionsOf(word: string): Generator<Inflection> {
  const cut = (letters: number): string => word.slice(0, -letters);
  if (word.endsWith("'s")) yield { stem: cut(2), join: withS, stemIs: "NOUN" };
  if (word.endsWith("s'")) {
    yield { stem: cut(1), join: (stem) => stem };
    yield { stem: cut(2), join: withS };
  }
  if (word.endsWith("'") && word.length > 2) yield { stem: cut(1), join: (stem) => stem };
  if (word.endsWith("'d")) yield { stem: cut(2), join: (stem) => (/[dt]$/.test(stem) ? `${stem}ᵻd` : `${stem}d`) };
  if (word.endsWith("'ll")) yield { stem: cut(3), join: plus("ᵊl") };
  if (word.endsWith("'ve")) yield { stem: cut(3), join: plus("ᵊv") };
  if (word.endsWith("'re")) yield { stem: cut(3), join: plus("əɹ") };
  if (word.endsWith("n't")) yield { stem: cut(3), join: plus("ᵊnt") };
  if (word.endsWith("in'") && word.length > 4)
    yield { stem: `${cut(1)}g`, join: (stem) => (stem.endsWith("ɪŋ") ? `${stem.slice(0, -2)}ɪn` : stem) };
  if (word.length >= 3 && word.endsWith("s") && !word.endsWith("ss")) {
    yield { stem: cut(1), join: withS };
    if (word.length > 4 && word.endsWith("es") && !word.endsWith("ies")) yield { stem: cut(2), join: withS };
    if (word.length > 4 && word.endsWith("ies")) yield { stem: `${cut(3)}y`, join: withS };
  }
  if (word.length >= 4 && word.endsWith("ed")) {
    yield { stem: cut(1), join: withEd, stemIs: "VERB" };
    for (const stem of stems(cut(2))) yield { stem, join: withEd, stemIs: "VERB" };
  }
  if (word.length >= 5 && word.endsWith("ing"))
    for (const stem of stems(cut(3)))
      yield { stem, join: withVowel("ɪŋ"), stress: "at-least-secondary", stemIs: "VERB" };
  if (word.length < 5) return;
  if (word.endsWith("er")) for (const stem of stems(cut(2))) yield { stem, join: withVowel("əɹ"), stemIs: "ADJ" };
  if (word.endsWith("ers")) for (const stem of stems(cut(3))) yield { stem, join: withVowel("əɹz") };
  if (word.endsWith("est")) for (const stem of stems(cut(3))) yield { stem, join: withVowel("əst"), stemIs: "ADJ" };
  if (word.endsWith("ily")) yield { stem: `${cut(3)}y`, join: (stem) => `${stem.slice(0, -1)}əli` };
  if (word.endsWith("ly")) yield { stem: cut(2), join: withLy };
  if (word.endsWith("bly") || word.endsWith("ply") || word.endsWith("tly"))
    yield { stem: `${cut(1)}e`, join: (s) => `${s.replace(/ᵊl$/, "l")}i` };
  if (word.endsWith("iness")) yield { stem: `${cut(5)}y`, join: plus("nəs") };
  for (const [ending, said] of [
    ["ness", "nəs"],
    ["less", "ləs"],
    ["ful", "fᵊl"],
    ["ship", "ʃˌɪp"],
    ["like", "lˌIk"],
    ["ment", "mənt"],
    ["ward", "wəɹd"],
    ["wards", "wəɹdz"],
    ["ism", "ˌɪzəm"],
    ["ish", "ɪʃ"],
    ["able", "əbᵊl"],
  ] as const)
    if (word.endsWith(ending) && word.length > ending.length + 2) yield { stem: cut(ending.length), join: plus(said) };
  for (const [letters, said] of prefixes)
    if (word.startsWith(letters) && word.length > letters.length + 3)
      yield { stem: word.slice(letters.length), join: before(said) };
}

/** The ending of a possessive, taken off a word that nobody knows: the guess is made for the stem. */
export function possessiveOf(word: string): Inflection | undefined {
  if (/[^']'s$/i.test(word)) return { stem: word.slice(0, -2), join: withS };
  return /[^']'$/.test(word) ? { stem: word.slice(0, -1), join: (stem) => stem } : undefined;
}

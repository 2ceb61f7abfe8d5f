import type { PhonemeSource } from "@katari/core";
import { builtInLexicon, coreWords, letterNames } from "../pronunciation/built-in-lexicon.ts";
import { inflectionsOf, possessiveOf } from "../pronunciation/inflection.ts";
import { letterToSound } from "../pronunciation/letter-to-sound.ts";
import type { Pronunciation, Reading } from "../pronunciation/pronunciation.ts";
import { changeStress, joinCompound, joinLetters, type StressChange } from "../pronunciation/stress.ts";
import { toLatin } from "./other-scripts.ts";
import { senseRules } from "./heteronyms.ts";
import { partOfSpeech, type Neighbours, type PartOfSpeech } from "./part-of-speech.ts";

/** What comes next: it decides the form of the small words. */
export type NextSound = "vowel" | "consonant" | "pause";

/** Phonemes of one word, with where they come from. */
export interface ResolvedWord {
  readonly phonemes: string;
  readonly source: PhonemeSource;
  readonly uncertain: boolean;
  readonly partOfSpeech?: string;
}

interface Base {
  readonly reading: Reading;
  readonly source: PhonemeSource;
  readonly join?: (stem: string) => string;
  readonly stress?: StressChange;
  readonly stemIs?: string;
}

/** Looks words up; see {@link createWordResolver}. */
export interface WordResolver {
  /** A word in its own case, with `'` as apostrophe and plain letters. */
  word(word: string, near: Neighbours, next: NextSound, emphasized: boolean): ResolvedWord;
  /** Letters in a row, by their names. */
  letters(letters: string): string;
  isKnown(word: string): boolean;
  /** Whether a word or a form of it is known: `fiancé's` by `fiancé`. */
  isFormKnown(word: string): boolean;
}

const cacheLimit = 50_000;
const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/**
 * Dictionary look-up in the order: built-in lexicon, gold, silver, inflected form of a known word, parts of a
 * compound, the model for unknown words or letter-to-sound rules, letter names for what has no vowel.
 */
export function createWordResolver(pronunciation: Pronunciation): WordResolver {
  const cache = new Map<string, Base>();
  const bare = pronunciation.gold.size === 0;

  const inDictionary = (word: string): Reading | undefined => {
    for (const dictionary of [pronunciation.gold, pronunciation.silver]) {
      const exact = dictionary.get(word);
      if (exact !== undefined) return exact;
      const lower = word.toLowerCase();
      const other = word === lower ? capitalized(word) : word === capitalized(lower) ? lower : undefined;
      const found = other === undefined || word.length < 2 ? undefined : dictionary.get(other);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const direct = (word: string): Base | undefined => {
    const lower = word.toLowerCase();
    const own = builtInLexicon.get(lower) ?? (bare ? coreWords.get(lower) : undefined);
    if (own !== undefined) return { reading: own, source: "lexicon" };
    const reading =
      inDictionary(word) ?? (word === word.toUpperCase() && word.length > 1 ? inDictionary(lower) : undefined);
    return reading === undefined ? undefined : { reading, source: "dictionary" };
  };
  const known = (word: string): Base | undefined => {
    const found = direct(word);
    if (found) return found;
    for (const inflection of inflectionsOf(word.toLowerCase())) {
      const stem =
        inflection.stem.length < 2
          ? undefined
          : (direct(word === word.toLowerCase() ? inflection.stem : inflection.stem) ??
            direct(capitalized(inflection.stem)));
      if (stem)
        return {
          reading: stem.reading,
          source: "rule",
          join: inflection.join,
          ...(inflection.stress ? { stress: inflection.stress } : {}),
          ...(inflection.stemIs ? { stemIs: inflection.stemIs } : {}),
        };
    }
    return undefined;
  };
  const first = (reading: Reading): string => (typeof reading === "string" ? reading : (reading["DEFAULT"] ?? ""));
  const closedCompound = (word: string): string | undefined => {
    if (word.length < 8 || bare) return undefined;
    for (let cut = word.length - 4; cut >= 4; cut--) {
      const left = pronunciation.gold.get(word.slice(0, cut));
      const right = pronunciation.gold.get(word.slice(cut));
      if (left !== undefined && right !== undefined)
        return joinCompound([first(left), changeStress(first(right), "weaker")]);
    }
    return undefined;
  };
  const letterName = (letter: string): string =>
    (bare ? undefined : first(pronunciation.gold.get(letter.toUpperCase()) ?? "")) || (letterNames.get(letter) ?? "");
  const letters = (text: string): string => {
    const names = Array.from((toLatin(text) ?? text).toLowerCase())
      .map(letterName)
      .filter((name) => name !== "");
    return names.length === 0 ? first(base("character").reading) : joinLetters(names);
  };

  const guess = (word: string): Base => {
    const possessive = possessiveOf(word);
    if (possessive) {
      const stem = base(possessive.stem);
      return { reading: possessive.join(first(stem.reading)), source: stem.source };
    }
    const lower = word.toLowerCase();
    const compound = closedCompound(lower);
    if (compound !== undefined) return { reading: compound, source: "rule" };
    const core = lower.replace(/[^a-z]/g, "");
    if (core === "") return { reading: "", source: "guess" };
    // A dropped h: `'ouse` is `house` without it.
    const whole = lower.startsWith("'") ? direct(`h${lower.slice(1)}`) : undefined;
    if (whole) return { reading: first(whole.reading).replace(/^h/, ""), source: "rule" };
    // Drawn-out words: `nooo` is `no` said long.
    const shorter = lower.replace(/(.)\1{2,}/g, "$1");
    if (shorter !== lower) {
      const short = known(shorter) ?? known(lower.replace(/(.)\1{2,}/g, "$1$1"));
      if (short) return { reading: first(short.reading), source: "rule" };
    }
    if (!/[aeiouy]/.test(core) && core.length <= 5) return { reading: letters(core), source: "spelled" };
    // The ending of an inflected unknown word is ours: the model is surer of stems.
    const guessed = core.length <= 40 ? pronunciation.guess?.(capitalized(lower) === word ? word : lower) : undefined;
    return { reading: guessed ?? letterToSound(core), source: "guess" };
  };
  const base = (word: string): Base => {
    const cached = cache.get(word);
    if (cached) return cached;
    const found = known(word) ?? guess(word);
    if (cache.size >= cacheLimit) cache.clear();
    cache.set(word, found);
    return found;
  };

  const choose = (
    found: Base,
    near: Neighbours,
    next: NextSound,
  ): { phonemes: string; tag?: string; sure: boolean } => {
    const { reading } = found;
    if (typeof reading === "string") return { phonemes: reading, sure: true };
    const fallback = reading["DEFAULT"] ?? Object.values(reading).find((value) => value !== null) ?? "";
    if (found.stemIs !== undefined)
      return { phonemes: reading[found.stemIs] ?? fallback, tag: found.stemIs, sure: true };
    if (next === "pause" && typeof reading["None"] === "string") return { phonemes: reading["None"], sure: true };
    const has = (wanted: PartOfSpeech): boolean =>
      typeof reading[wanted] === "string" && !(found.join && wanted === "ADJ");
    const tag = partOfSpeech(near, has);
    const parent = tag === "VBD" || tag === "VBN" ? "VERB" : tag;
    const said = tag === undefined || parent === undefined ? undefined : (reading[tag] ?? reading[parent]);
    if (typeof said === "string" && tag !== undefined) return { phonemes: said, tag, sure: true };
    const weakOnly = Object.keys(reading).every((key) => key === "DEFAULT" || key === "None");
    return { phonemes: fallback, sure: weakOnly || tag !== undefined };
  };

  const small = (
    lower: string,
    word: string,
    near: Neighbours,
    next: NextSound,
    emphasized: boolean,
  ): string | undefined => {
    switch (lower) {
      case "a":
        return next === "pause" || emphasized ? "ˈA" : "ɐ";
      case "an":
        return emphasized ? "ˈæn" : "ɐn";
      case "the":
        return emphasized ? "ðˈi" : next === "vowel" ? "ði" : "ðə";
      case "to":
        return emphasized ? "tˈu" : next === "pause" ? "tu" : next === "vowel" ? "tʊ" : "tə";
      case "in":
        return next === "pause" || emphasized ? "ˈɪn" : "ɪn";
      case "am":
        return next === "pause" || emphasized ? "ˈæm" : "ɐm";
      case "i":
        return word === "I" ? (emphasized ? "ˈI" : "ˌI") : undefined;
      case "used":
        return near.after === "to" && partOfSpeech(near, () => true) === "VBD" ? "jˈust" : "jˈuzd";
      default:
        return undefined;
    }
  };

  return {
    letters,
    isKnown: (word) => direct(word) !== undefined,
    isFormKnown: (word) => known(word) !== undefined,
    word(word, near, next, emphasized) {
      const lower = word.toLowerCase();
      const weak = small(lower, word, near, next, emphasized);
      if (weak !== undefined) return { phonemes: weak, source: "rule", uncertain: false };
      const sense = senseRules.get(lower)?.(near);
      if (sense !== undefined) return { phonemes: sense, source: "rule", uncertain: true };
      const found = base(word);
      const chosen = choose(found, near, next);
      let { phonemes } = chosen;
      if (found.stress) phonemes = changeStress(phonemes, found.stress);
      if (found.join) phonemes = found.join(phonemes);
      if (emphasized || (word.length > 1 && word === word.toUpperCase() && word !== lower))
        phonemes = changeStress(phonemes, "primary");
      else if (word !== lower) phonemes = changeStress(phonemes, "at-least-secondary");
      return {
        phonemes,
        source: found.source,
        uncertain: !chosen.sure || found.source === "guess",
        ...(chosen.tag === undefined ? {} : { partOfSpeech: chosen.tag }),
      };
    },
  };
}

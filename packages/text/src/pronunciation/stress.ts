/** Symbols that carry a syllable in Misaki's alphabet (capitals are diphthongs). */
export const vowelSymbols: ReadonlySet<string> = new Set("AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻɐᵊ");
/** Symbols that begin a word with a consonant's sound. */
export const consonantSymbols: ReadonlySet<string> = new Set("bdfhjklmnpstvwzðŋɡɹɾʃʒʤʧθT");

const primary = "ˈ";
const secondary = "ˌ";

const hasVowel = (phonemes: string): boolean => Array.from(phonemes).some((symbol) => vowelSymbols.has(symbol));
const isStressed = (phonemes: string): boolean => phonemes.includes(primary) || phonemes.includes(secondary);

/** Puts a mark directly before the first vowel, where Misaki writes it. */
function markFirstVowel(phonemes: string, mark: string): string {
  const symbols = Array.from(phonemes);
  const at = symbols.findIndex((symbol) => vowelSymbols.has(symbol));
  return at < 0 ? phonemes : [...symbols.slice(0, at), mark, ...symbols.slice(at)].join("");
}

/** Levels of stress that a word can be given, in Misaki's sense. */
export type StressChange = "unstressed" | "weaker" | "at-least-secondary" | "primary";

/** Changes the stress of a word: never moves it, only takes it away, lowers it, or gives it where there is none. */
export function changeStress(phonemes: string, change: StressChange): string {
  switch (change) {
    case "unstressed":
      return phonemes.replaceAll(primary, "").replaceAll(secondary, "");
    case "weaker":
      return phonemes.includes(primary) ? phonemes.replaceAll(secondary, "").replaceAll(primary, secondary) : phonemes;
    case "at-least-secondary":
      return isStressed(phonemes) || !hasVowel(phonemes) ? phonemes : markFirstVowel(phonemes, secondary);
    case "primary":
      if (phonemes.includes(primary) || !hasVowel(phonemes)) return phonemes;
      return phonemes.includes(secondary) ? phonemes.replace(secondary, primary) : markFirstVowel(phonemes, primary);
    default:
      return phonemes;
  }
}

/** Joins the parts of one written word (`after-dinner`) as a compound: the first half of its parts gives way. */
export function joinCompound(parts: readonly string[]): string {
  const heavy = parts.filter((part) => part.includes(primary));
  if (parts.length < 2 || heavy.length < 2) return parts.join("");
  let toLower = Math.floor(parts.length / 2);
  return parts
    .map((part) => (toLower > 0 && part.includes(primary) ? (toLower--, changeStress(part, "weaker")) : part))
    .join("");
}

/** Letter names said in a row: only the last keeps the primary stress, as Misaki has it for `B.B.C.`. */
export function joinLetters(names: readonly string[]): string {
  const weak = names.map((name) => changeStress(changeStress(name, "at-least-secondary"), "weaker"));
  const last = weak.join("");
  const at = last.lastIndexOf(secondary);
  return at < 0 ? last : last.slice(0, at) + primary + last.slice(at + 1);
}

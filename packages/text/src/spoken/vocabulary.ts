import { AppError } from "@katari/core";

/** Symbol → token id, as the voice's manifest has it. */
export type Vocabulary = ReadonlyMap<string, number> | Readonly<Record<string, number>>;

/** What stands in for a symbol that a voice lacks, in the order in which it is tried. Empty: only a nuance is lost. */
const standIns: Readonly<Record<string, readonly string[]>> = {
  ɐ: ["ə", "a"],
  ᵊ: ["ə"],
  ᵻ: ["ɪ", "i"],
  T: ["ɾ", "t"],
  ɾ: ["T", "t"],
  A: ["eɪ"],
  I: ["aɪ"],
  O: ["oʊ"],
  W: ["aʊ"],
  Y: ["ɔɪ"],
  ʤ: ["dʒ"],
  ʧ: ["tʃ"],
  ɜ: ["ə"],
  ɡ: ["g"],
  ɹ: ["r"],
  ˈ: [""],
  ˌ: [""],
  ː: [""],
  "“": ['"', ""],
  "”": ['"', ""],
  "…": [".", ""],
  "—": [",", ""],
  ";": [",", ""],
  ":": [",", ""],
  "(": [",", ""],
  ")": [",", ""],
  "!": [".", ""],
  "?": [".", ""],
  ",": [""],
  ".": [""],
  " ": [""],
};

/**
 * Makes a function that writes phonemes with the symbols of a voice: a symbol it has stays, another becomes its stand-in.
 * The function throws `unsupported-format` with the place for a symbol that has none: nothing is dropped in silence.
 */
export function createFitter(
  vocabulary: Vocabulary,
): (phonemes: string, where: { text: string; start: number }) => string {
  const has = (symbol: string): boolean =>
    vocabulary instanceof Map ? vocabulary.has(symbol) : Object.hasOwn(vocabulary, symbol);
  const cache = new Map<string, string | undefined>();
  const fit = (symbol: string): string | undefined => {
    if (has(symbol)) return symbol;
    return standIns[symbol]?.find((other) => Array.from(other).every(has));
  };
  return (phonemes, where) => {
    let fitted = "";
    for (const symbol of phonemes) {
      if (!cache.has(symbol)) cache.set(symbol, fit(symbol));
      const written = cache.get(symbol);
      if (written === undefined) {
        throw new AppError("unsupported-format", `The voice has no symbol for "${symbol}" in "${where.text}".`, {
          cure: "Give the word another pronunciation, or choose another voice.",
          details: { symbol, start: where.start },
        });
      }
      fitted += written;
    }
    return fitted;
  };
}

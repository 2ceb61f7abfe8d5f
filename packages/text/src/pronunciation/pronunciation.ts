import { readFile } from "node:fs/promises";
import { AppError } from "@katari/core";
import { createNeuralGuesser } from "./neural-guesser.ts";
import { readNpz } from "./npz.ts";

/** Readings of a word: one, or several by part of speech (`DEFAULT`, `NOUN`, `VERB`, `VBD`, `None` before a pause …). */
export type Reading = string | Readonly<Record<string, string | null>>;

/** Pronunciation data of one language, loaded. Look-ups never throw. */
export interface Pronunciation {
  /** The carefully made dictionary (Misaki's gold). */
  readonly gold: ReadonlyMap<string, Reading>;
  /** The larger, derived one (silver). */
  readonly silver: ReadonlyMap<string, Reading>;
  /** The model for unknown words, where one is installed. */
  readonly guess?: (word: string) => string | undefined;
}

async function readDictionary(path: string, signal: AbortSignal | undefined): Promise<ReadonlyMap<string, Reading>> {
  const text = await readFile(path, { encoding: "utf8", ...(signal ? { signal } : {}) });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new AppError("voice-damaged", `The dictionary ${path} is not JSON.`, {
      cure: "Install the voice again with `katari voices add`.",
      cause,
    });
  }
  const dictionary = new Map<string, Reading>();
  if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed)) return failShape(path);
  for (const [word, reading] of Object.entries(parsed)) {
    if (typeof reading !== "string" && (reading === null || typeof reading !== "object")) return failShape(path);
    dictionary.set(word, reading as Reading);
  }
  return dictionary;
}

function failShape(path: string): never {
  throw new AppError("voice-damaged", `The dictionary ${path} does not hold words with readings.`, {
    cure: "Install the voice again with `katari voices add`.",
  });
}

/**
 * Loads pronunciation data. `files` are absolute paths by role: `gold` and `silver` (Misaki's JSON dictionaries) and
 * `guesser` (the model for unknown words, `.npz`); any may be missing, other roles are left alone. Throws
 * `voice-damaged` for a file that is not what its role says, and the system's error for one that cannot be read.
 */
export async function loadPronunciation(options: {
  readonly files: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}): Promise<Pronunciation> {
  const { files, signal } = options;
  const dictionary = (path: string | undefined) =>
    path === undefined ? Promise.resolve(new Map<string, Reading>()) : readDictionary(path, signal);
  try {
    const [gold, silver] = await Promise.all([dictionary(files["gold"]), dictionary(files["silver"])]);
    const model = files["guesser"];
    if (model === undefined) return { gold, silver };
    const guesser = createNeuralGuesser(readNpz(await readFile(model, signal ? { signal } : {})));
    return { gold, silver, guess: (word) => guesser.guess(word) };
  } catch (error) {
    throw AppError.from(error);
  }
}

/** No dictionaries: everything comes from letter-to-sound rules. For test voices. */
export function emptyPronunciation(): Pronunciation {
  return { gold: new Map(), silver: new Map() };
}

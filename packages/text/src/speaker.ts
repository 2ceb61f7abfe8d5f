import type { BlockKind, InlineSpan, PhonemeSource, Rewrite, SpokenForm, SpokenWord } from "@katari/core";
import { draftWords, type Draft } from "./english/drafts.ts";
import { syllables, toLatin } from "./english/other-scripts.ts";
import type { Neighbours } from "./english/part-of-speech.ts";
import { createWordResolver, type NextSound, type ResolvedWord } from "./english/resolve-word.ts";
import type { Pronunciation } from "./pronunciation/pronunciation.ts";
import { consonantSymbols, joinCompound, vowelSymbols } from "./pronunciation/stress.ts";
import { textRevision } from "./revision.ts";
import { createFitter, type Vocabulary } from "./spoken/vocabulary.ts";

/** One segment to be spoken. `spans` are ranges of its own text. */
export interface SpeakInput {
  readonly text: string;
  readonly language: string;
  readonly spans: readonly InlineSpan[];
  readonly blockKind: BlockKind;
}

/** Derives spoken forms for one voice. It keeps a cache of words, so one is made per voice and used for a whole book. */
export interface Speaker {
  /** Throws `unsupported-format` with the place when the voice has no symbol for something that is to be said. */
  speak(input: SpeakInput): SpokenForm;
}

/** Longest phonemes of one word of a spoken form; longer ones are cut at the words of which they consist. */
const longestWord = 120;
const pausing = /[;:,.!?—…]/;

const noNeighbours: Neighbours = {
  word: "",
  before: "",
  before2: "",
  before3: "",
  after: "",
  after2: "",
  closes: false,
};

interface Flat {
  readonly draft: number;
  readonly word: string;
  readonly letter: boolean;
}

function nextSound(phonemes: string, otherwise: NextSound): NextSound {
  for (const symbol of phonemes) {
    if (vowelSymbols.has(symbol)) return "vowel";
    if (consonantSymbols.has(symbol)) return "consonant";
  }
  return otherwise;
}

/** Endings that an accent makes a syllable of their own, which plain letters would lose: Brontë, Mallarmé, wingèd. */
function soundedEnding(word: string): { stem: string; said: string } | undefined {
  const [, stem = "", ending = "", possessive = ""] =
    /^(\p{L}[\p{L}\p{M}]+?)(ée|é|ë|èd)(['’]s|s)?$/iu.exec(word.normalize("NFC")) ?? [];
  if (stem === "") return undefined;
  const said = { ë: "i", èd: "ᵻd" }[ending.toLowerCase()] ?? "ˌA";
  return { stem, said: possessive === "" ? said : `${said}z` };
}

const plain = (word: string): string => word.toLowerCase().replace(/[‐‑]/g, "-");

/** Makes the speaker of a voice from its pronunciation data and its symbols. */
export function createSpeaker(options: {
  readonly pronunciation: Pronunciation;
  readonly vocabulary: Vocabulary;
}): Speaker {
  const resolver = createWordResolver(options.pronunciation);
  const fit = createFitter(options.vocabulary);

  const foreign = (word: string): ResolvedWord | undefined => {
    const latin = toLatin(word);
    if (latin === undefined) return { ...resolver.word("character", noNeighbours, "pause", false), uncertain: true };
    if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word))
      return { phonemes: syllables(latin), source: "rule", uncertain: true };
    return undefined;
  };

  const resolve = (written: string, near: Neighbours, next: NextSound, emphasized: boolean): ResolvedWord => {
    const whole = written.normalize("NFC");
    if (/[^\p{Script=Latin}\p{M}'’‐‑-]/u.test(whole)) {
      const found = foreign(whole);
      if (found) return found;
    }
    if (/^\p{L}{1,2}-$/u.test(whole)) {
      // The onset of a stammer, with the neutral vowel.
      const onset = resolver.word(
        near.after,
        { ...near, word: near.after, after: near.after2 },
        "consonant",
        false,
      ).phonemes;
      const consonants = /^[^AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻɐᵊˈˌ]+/u.exec(onset)?.[0] ?? "";
      return { phonemes: `${consonants}ə`, source: "rule", uncertain: false };
    }
    const accented = soundedEnding(whole);
    if (accented && !resolver.isFormKnown(whole)) {
      const stem = resolver.word(toLatin(accented.stem) ?? accented.stem, near, "consonant", emphasized);
      return { phonemes: stem.phonemes + accented.said, source: "guess", uncertain: true };
    }
    const known = (word: string): boolean => resolver.isFormKnown(word);
    // The dictionaries have some words with their accents (`café`); the rest is looked up without them.
    const ascii = known(whole)
      ? whole
      : whole
          .split(/[‐‑-]/)
          .map((part) => toLatin(part) ?? part)
          .join("-");
    if (!ascii.includes("-") || known(ascii)) return resolver.word(ascii, near, next, emphasized);
    const parts = ascii.split("-").filter((part) => part !== "");
    const joined = parts.join("");
    if (parts.length === 2 && known(joined.toLowerCase())) return resolver.word(joined, near, next, emphasized);
    const said = parts.map((part, index) =>
      resolver.word(
        part,
        {
          word: part.toLowerCase(),
          before: parts[index - 1]?.toLowerCase() ?? near.before,
          before2: "",
          before3: "",
          closes: false,
          after: parts[index + 1]?.toLowerCase() ?? near.after,
          after2: "",
        },
        index + 1 < parts.length ? "consonant" : next,
        emphasized,
      ),
    );
    const rank: readonly PhonemeSource[] = ["lexicon", "dictionary", "rule", "guess", "spelled"];
    const source = said.reduce<PhonemeSource>(
      (worst, one) => (rank.indexOf(one.source) > rank.indexOf(worst) ? one.source : worst),
      "dictionary",
    );
    return {
      phonemes: joinCompound(said.map((one) => one.phonemes)),
      source,
      uncertain: said.some((one) => one.uncertain),
    };
  };

  return {
    speak({ text, language, spans, blockKind }) {
      const { drafts, silent } = draftWords(text, blockKind, (word) => resolver.isKnown(word));
      const emphases = spans.filter(
        (span) => (span.kind === "emphasis" || span.kind === "strong") && span.end - span.start < text.length / 2,
      );
      const flat: Flat[] = [];
      drafts.forEach((draft, index) => {
        for (const unit of draft.units) flat.push({ draft: index, word: unit.word, letter: unit.letter ?? false });
      });
      const cutsBefore = (index: number): boolean => {
        const here = flat[index];
        const previous = flat[index - 1];
        if (!here || !previous) return true;
        if (here.draft === previous.draft) return false;
        return pausing.test(drafts[previous.draft]?.after ?? "") || pausing.test(drafts[here.draft]?.before ?? "");
      };
      const wordAt = (index: number): string => plain(flat[index]?.word ?? "");

      const phonemes: string[][] = drafts.map(() => []);
      const facts: (ResolvedWord | undefined)[] = drafts.map(() => undefined);
      let next: NextSound = "pause";
      for (let index = flat.length - 1; index >= 0; index--) {
        const unit = flat[index];
        const draft = unit ? drafts[unit.draft] : undefined;
        if (!unit || !draft) continue;
        const target = phonemes[unit.draft];
        if (unit.letter) {
          // Letters in a row are said as one word; a plural `'s` closes them.
          let from = index;
          while (from > 0 && flat[from - 1]?.letter && flat[from - 1]?.draft === unit.draft) from--;
          const run = flat.slice(from, index + 1).map((one) => one.word);
          const plural = run.at(-1) === "'s";
          const names = resolver.letters((plural ? run.slice(0, -1) : run).join(""));
          const said = plural ? names + (/[sf]$/.test(names) ? (names.endsWith("s") ? "ᵻz" : "s") : "z") : names;
          target?.unshift(said);
          facts[unit.draft] ??= { phonemes: said, source: "rule", uncertain: false };
          next = nextSound(said, next);
          index = from;
        } else {
          const cutBefore = cutsBefore(index);
          const cutAfter = cutsBefore(index + 1);
          const near: Neighbours = {
            word: wordAt(index),
            before: cutBefore ? "" : wordAt(index - 1),
            before2: cutBefore || cutsBefore(index - 1) ? "" : wordAt(index - 2),
            before3: cutBefore || cutsBefore(index - 1) || cutsBefore(index - 2) ? "" : wordAt(index - 3),
            closes: cutAfter && !/^[,”)]*$/.test(draft.after),
            after: cutAfter ? "" : wordAt(index + 1),
            after2: cutAfter || cutsBefore(index + 2) ? "" : wordAt(index + 2),
          };
          const emphasized = emphases.some((span) => span.start < draft.end && span.end > draft.start);
          const found = resolve(unit.word, near, cutAfter ? "pause" : next, emphasized);
          // Letters without a sound of their own (a lone soft sign) are at least announced.
          const resolved =
            found.phonemes === "" ? { ...resolve("character", near, next, false), uncertain: true } : found;
          target?.unshift(resolved.phonemes);
          const earlier = facts[unit.draft];
          facts[unit.draft] =
            earlier && (earlier.source === "guess" || earlier.source === "spelled") ? earlier : resolved;
          next = nextSound(resolved.phonemes, next);
        }
      }

      const last = drafts.at(-1);
      // A heading or a line without a stop is closed like a sentence, or the voice holds its tone up.
      if (last && !/[.!?…—;:,]/.test(last.after)) last.after = closeWith(last.after);
      const words = drafts.flatMap((draft, index) => spokenWords(draft, phonemes[index] ?? [], facts[index]));
      const rewrites = [...rewritesOf(drafts), ...silent].sort((a, b) => a.start - b.start);
      const spoken = words.map((word) => word.before + word.spoken + word.after).join(" ");
      return { language, spoken, rewrites, words, revision: textRevision };
    },
  };

  function spokenWords(draft: Draft, said: readonly string[], fact: ResolvedWord | undefined): SpokenWord[] {
    const where = { text: draft.text, start: draft.start };
    const fitted = said
      .map((phonemes) => fit(phonemes.replaceAll("ɾ", "T").replaceAll("ʔ", "t"), where))
      .filter((phonemes) => phonemes !== "");
    const spoken = draft.units
      .map((unit) => unit.word)
      .join(" ")
      .replaceAll(" 's", "s");
    const make = (
      start: number,
      end: number,
      piece: readonly string[],
      say: string,
      before: string,
      after: string,
    ): SpokenWord => ({
      start,
      end,
      text: draft.text.slice(start - draft.start, end - draft.start),
      spoken: say,
      ...(fact?.partOfSpeech === undefined ? {} : { partOfSpeech: fact.partOfSpeech }),
      phonemes: piece.join(" "),
      before: fit(before, where),
      after: fit(after, where),
      source: fact?.source ?? "rule",
      uncertain: (fact?.uncertain ?? false) || draft.unreadable === true,
    });
    const length = fitted.join(" ").length;
    const pieces = Math.min(Math.ceil(length / longestWord), fitted.length, draft.end - draft.start);
    if (pieces <= 1) return [make(draft.start, draft.end, fitted, spoken, draft.before, draft.after)];
    const all = spoken.split(" ");
    return Array.from({ length: pieces }, (_, piece) => {
      const part = (total: number, place: number): number => Math.round((total * place) / pieces);
      return make(
        draft.start + part(draft.end - draft.start, piece),
        draft.start + part(draft.end - draft.start, piece + 1),
        fitted.slice(part(fitted.length, piece), part(fitted.length, piece + 1)),
        all.slice(part(all.length, piece), part(all.length, piece + 1)).join(" "),
        piece === 0 ? draft.before : "",
        piece === pieces - 1 ? draft.after : "",
      );
    });
  }
}

/** Puts a full stop in front of what closes a quotation or bracket. */
function closeWith(after: string): string {
  const at = after.search(/[”)"]+$/u);
  return at < 0 ? `${after}.` : `${after.slice(0, at)}.${after.slice(at)}`;
}

function rewritesOf(drafts: readonly Draft[]): Rewrite[] {
  return drafts
    .filter((draft) => draft.rule !== undefined)
    .map(({ start, end, text, units, rule = "" }) => ({
      rule,
      start,
      end,
      display: text,
      spoken: units
        .map((unit) => unit.word)
        .join(" ")
        .replaceAll(" 's", "s"),
    }));
}

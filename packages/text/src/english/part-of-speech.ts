/** Tags as Misaki's dictionaries use them; only words with several readings are ever asked for. */
export type PartOfSpeech = "NOUN" | "VERB" | "VBD" | "VBN" | "ADJ" | "ADV" | "DT";

const set = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const determiners = set(
  "a an the this these those his her my your our their its whose no every each some any another either neither what which " +
    "much many few several little own more most such first second last next other same one two three four five both all",
);
const subjects = set("i you he she it we they who that there which");
const modals = set(
  "will would can could shall should may might must do does did don't doesn't didn't won't wouldn't can't couldn't " +
    "shouldn't cannot i'll you'll he'll she'll it'll we'll they'll i'd you'd he'd she'd we'd they'd let's to please",
);
const haves = set("have has had having i've you've we've they've haven't hasn't hadn't");
const beings = set(
  "is are was were be been being am i'm you're he's she's it's we're they're isn't wasn't weren't aren't got get getting",
);
const prepositions = set(
  "of in on at by for with from into onto upon about over under through between among against during without within " +
    "toward towards across behind beyond near like than after before until till since per off beneath above below along round around",
);
const objects = set("me him them us it myself himself herself itself themselves yourself ourselves you her");
const pasts = set(
  "said went came took saw made knew thought found gave told became felt left began stood heard let ran",
);
const adverbs = set(
  "not never always also ever just still now then only even quite almost already so soon often very too again yet",
);

/** The words around one that is asked for, in lower case; empty strings at the edges and where punctuation cuts. */
export interface Neighbours {
  readonly word: string;
  readonly before: string;
  readonly before2: string;
  readonly before3: string;
  readonly after: string;
  readonly after2: string;
  /** Whether a sentence or clause ends behind the word (`. ! ? ; :` or a dash, not a comma). */
  readonly closes: boolean;
}

const looksAdjective = (word: string): boolean =>
  /(?:al|ful|ous|ive|ic|able|ible|less|ish|ary)$/.test(word) ||
  /^(?:great|small|large|old|new|good|bad|long|short|strong|slight|little|dark|bright|cold|warm|high|low|deep|heavy|true|light|white|black|big|full|sudden|whole|only)$/.test(
    word,
  );
const isAdverb = (word: string): boolean => adverbs.has(word) || /[^i]ly$/.test(word);
const opensNounPhrase = (word: string): boolean => determiners.has(word) || objects.has(word);

/**
 * Guesses the part of speech of one word from the words around it. A few ordered rules of English syntax: the strongest
 * sign first (modal, auxiliary, determiner), then what follows. Undefined where nothing speaks for any reading.
 */
export function partOfSpeech(near: Neighbours, has: (tag: PartOfSpeech) => boolean): PartOfSpeech | undefined {
  let { before, before2, before3 } = near;
  const { word, after } = near;
  if (word === "that") return thatIs(near);
  for (let skips = 0; skips < 2 && isAdverb(before) && before2 !== ""; skips++)
    [before, before2, before3] = [before2, before3, ""];
  if (word === "used" && after === "to") return beings.has(before) ? undefined : "VBD";
  if (before === "to" || modals.has(before)) {
    if (before === "to" && (after === "" || after === "of") && has("NOUN") && determiners.has(after)) return "NOUN";
    return "VERB";
  }
  if (haves.has(before)) return has("VBN") ? "VBN" : has("VBD") ? "VBD" : determiners.has(after) ? "VERB" : "NOUN";
  if (beings.has(before)) return has("VBN") ? "VBN" : has("ADJ") ? "ADJ" : undefined;
  const adjectival =
    has("ADJ") &&
    /^\p{L}{3,}$/u.test(after) &&
    !prepositions.has(after) &&
    !beings.has(after) &&
    !haves.has(after) &&
    !modals.has(after) &&
    after !== "and";
  if (determiners.has(before) || /(?:'s|s')$/.test(before)) return adjectival ? "ADJ" : "NOUN";
  if (subjects.has(before)) {
    if (before === "it" && !beings.has(after) && determiners.has(after)) return has("VBD") ? "VBD" : "VERB";
    return has("VBD") ? "VBD" : "VERB";
  }
  // `his watchword and excuse`: what is joined to a noun is one.
  if ((before === "and" || before === "or") && determiners.has(before3)) return "NOUN";
  if (prepositions.has(before)) return "NOUN";
  if (looksAdjective(before)) return "NOUN";
  // `a rough estimate.`: the last word of a phrase that an article opened.
  const closesPhrase =
    after === "" || prepositions.has(after) || beings.has(after) || haves.has(after) || modals.has(after);
  if (determiners.has(before2) && closesPhrase && !determiners.has(before) && has("NOUN")) return "NOUN";
  if (after === "of") return "NOUN";
  if (opensNounPhrase(after))
    return before === "and" && has("VBD") ? "VBD" : has("VBD") && before !== "" ? "VBD" : "VERB";
  if (beings.has(after) || modals.has(after) || haves.has(after)) return "NOUN";
  if (/[^s]s$/.test(before) && prepositions.has(after)) return "VERB";
  return undefined;
}

/** `that` is stressed where it points at something, weak where it joins clauses. */
function thatIs({ before, after, closes }: Neighbours): PartOfSpeech | undefined {
  if (closes) return "DT";
  if (after === "") return prepositions.has(before) ? "DT" : undefined;
  if (beings.has(after)) return before === "" || prepositions.has(before) ? "DT" : undefined;
  if (determiners.has(after) || subjects.has(after) || objects.has(after) || isAdverb(after)) return undefined;
  if (prepositions.has(before)) return before === "than" || prepositions.has(after) ? undefined : "DT";
  if (["all", "do", "did", "and", "but"].includes(before)) return prepositions.has(after) ? undefined : "DT";
  const verbal =
    pasts.has(after) || haves.has(after) || modals.has(after) || prepositions.has(after) || after.endsWith("ed");
  return before === "" && !verbal ? "DT" : undefined;
}

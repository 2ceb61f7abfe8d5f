import { cardinalWords, ordinalWords, romanValue, yearWords } from "./number-words.ts";
import { lettersOf, unitsOf, type RuleAnswer, type RuleContext, type SpokenUnit } from "./spoken-rule.ts";

/** Said for an abbreviation that is written with a full stop. */
const withStop: ReadonlyMap<string, string> = new Map(
  Object.entries({
    mr: "mister",
    mrs: "missus",
    ms: "miz",
    messrs: "messers",
    prof: "professor",
    capt: "captain",
    cpt: "captain",
    col: "colonel",
    gen: "general",
    lt: "lieutenant",
    sgt: "sergeant",
    cpl: "corporal",
    maj: "major",
    pvt: "private",
    adm: "admiral",
    cmdr: "commander",
    rev: "reverend",
    revd: "reverend",
    hon: "honorable",
    gov: "governor",
    sen: "senator",
    rep: "representative",
    pres: "president",
    supt: "superintendent",
    jr: "junior",
    sr: "senior",
    esq: "esquire",
    mt: "mount",
    etc: "et cetera",
    vs: "versus",
    viz: "namely",
    cf: "compare",
    approx: "approximately",
    dept: "department",
    inc: "incorporated",
    ltd: "limited",
    co: "company",
    corp: "corporation",
    bros: "brothers",
    ave: "avenue",
    blvd: "boulevard",
    rd: "road",
    ln: "lane",
    hwy: "highway",
    assn: "association",
    univ: "university",
    asst: "assistant",
    est: "established",
    incl: "including",
    excl: "excluding",
    esp: "especially",
    misc: "miscellaneous",
    jan: "January",
    feb: "February",
    mar: "March",
    apr: "April",
    jun: "June",
    jul: "July",
    aug: "August",
    sep: "September",
    sept: "September",
    oct: "October",
    nov: "November",
    dec: "December",
    mon: "Monday",
    tue: "Tuesday",
    tues: "Tuesday",
    wed: "Wednesday",
    thu: "Thursday",
    thurs: "Thursday",
    fri: "Friday",
    fr: "father",
    br: "brother",
    revds: "reverends",
    ibid: "ibidem",
  }),
);
/** Said for one whose stop is not needed. */
const withoutStop: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Mr: "mister",
    Mrs: "missus",
    Ms: "miz",
    Messrs: "messers",
    Dr: "doctor",
    Jr: "junior",
    Sr: "senior",
    vs: "versus",
    etc: "et cetera",
    viz: "namely",
    WWI: "World War one",
    WWII: "World War two",
    WW1: "World War one",
    WW2: "World War two",
  }),
);
/** Titles that British usage writes without a stop; only before a name. */
const bareTitles = new Set(["Prof", "Capt", "Sgt", "Lt", "Col", "Rev", "Revd", "Supt"]);
/** Only before a number. */
const beforeNumber: ReadonlyMap<string, string> = new Map(
  Object.entries({
    no: "number",
    nos: "numbers",
    p: "page",
    pp: "pages",
    vol: "volume",
    vols: "volumes",
    ch: "chapter",
    chap: "chapter",
    fig: "figure",
    figs: "figures",
    sec: "section",
    c: "circa",
    ca: "circa",
    art: "article",
    ver: "version",
    op: "opus",
    b: "born",
    d: "died",
    fl: "flourished",
    r: "reigned",
    pt: "part",
  }),
);
const dotted: ReadonlyMap<string, string> = new Map(Object.entries({ "e.g": "for example", "i.e": "that is" }));

const countedBy =
  /^(?:chapters?|parts?|books?|acts?|scenes?|volumes?|sections?|cantos?|appendix|figures?|tables?|type|phase|stage|war|article|title|class|level|pages?|pp|p|number|lesson|episode|verse|mark|apollo|rocky)$/i;
const monarchs =
  /^(?:Henry|Louis|George|Edward|William|Charles|James|Elizabeth|Richard|John|Paul|Pius|Philip|Peter|Catherine|Ivan|Nicholas|Alexander|Frederick|Francis|Leo|Gregory|Clement|Innocent|Benedict|Urban|Ferdinand|Napoleon|Mary|Robert|David|Gustav|Christian|Alfonso|Leopold|Ramses|Rameses|Ptolemy|Xerxes|Darius)$/;
/** Capitals that are letters although the small word is in the dictionary. */
const letterWords = new Set(
  "US AD BC PM ID AI IT PR OK TV UK EU UN PC CD DJ MP HR ER OS IP PS VIP FAQ GP CE BCE MD DC LA NY CO".split(" "),
);
const letterContexts =
  /^(?:plan|vitamin|grade|class|type|group|team|section|exhibit|option|point|letter|hepatitis|appendix|figure|by|from)$/i;

/** Whether the rest of the text has nothing to say: the stop there is the sentence's own. */
const endsText = (text: string, at: number): boolean => !/[\p{L}\p{N}]/u.test(text.slice(at, at + 64));

/** Verbs that only the pronoun can have: behind `World War` or `Charles`, `I` is a number before any other word. */
const firstPersonVerb =
  /^\s+(?:am|have|think|thought|know|knew|say|believe|suppose|saw|met|will|shall|can|could|would|should)\b|^['’](?:m|ve|ll|d)\b/u;
/** What goes on after a number and not after the pronoun. */
const numberGoesOn = /^\s*(?:$|[.,;:)–]|(?:of|is|has)\b)/u;

/** What follows the number of a monarch, and seldom the pronoun: `Charles I lost` but `John, I love you`. */
const reigns =
  /^\s*(?:$|[.,;:)–])|^['’]s|^\s+(?:of|and|is|has|was|had|who|to|by|in|on|at|reigned|ruled|died|lost|won|came|became|made|took|gave|ascended|succeeded)\b/u;

function isPronoun(previous: string, following: string): boolean {
  if (firstPersonVerb.test(following)) return true;
  // `Part I was short` has the number, `the part I played` the pronoun.
  return !/^\p{Lu}/u.test(previous) && !numberGoesOn.test(following);
}

/** `IV–VI` goes on as it began. */
function romanRange(units: readonly SpokenUnit[], found: RuleAnswer, text: string): RuleAnswer {
  const [all = "", last = ""] =
    /^\s?–\s?([IVXLC]{1,7}|[ivxlc]{1,7})(?!\p{L})/u.exec(text.slice(found.end, found.end + 12)) ?? [];
  const value = romanValue(last.toUpperCase());
  if (value === undefined) return found;
  return {
    ...found,
    end: found.end + all.length,
    units: [...units, ...unitsOf(`to ${cardinalWords(String(value))}`)],
  };
}

/** Small Roman numerals behind a word that counts: `scene ii`, `p. xii`. */
function smallRoman(word: string, { previous, text, at }: RuleContext): readonly SpokenUnit[] | undefined {
  const value = /^[ivxlc]+$/.test(word) ? romanValue(word.toUpperCase()) : undefined;
  const opensRange = /^\s?[–-]\s?[ivxlc]/.test(text.slice(at + word.length, at + word.length + 4));
  if (value === undefined || (word.length === 1 && !opensRange) || word === "mix") return undefined;
  const before = text.slice(Math.max(0, at - 4), at);
  const behindWord = countedBy.test(previous.replace(/\.$/, "")) && /[\p{L}.]\s+$/u.test(before);
  const label = /^\W*$/u.test(text.slice(0, at)) && /^[.)]\s/.test(text.slice(at + word.length, at + word.length + 2));
  return behindWord || label ? unitsOf(cardinalWords(String(value))) : undefined;
}

function roman(word: string, context: RuleContext): readonly SpokenUnit[] | undefined {
  const value = romanValue(word);
  if (value === undefined) return undefined;
  const { previous, text, at, blockKind } = context;
  if (value > 400) return word.length > 3 && value < 2100 ? unitsOf(yearWords(String(value))) : undefined;
  const near = /\p{L}\s+$/u.test(text.slice(Math.max(0, at - 4), at));
  const pronoun = word === "I" && blockKind !== "heading" && isPronoun(previous, text.slice(at + 1, at + 16));
  if (near && !pronoun && countedBy.test(previous)) return unitsOf(cardinalWords(String(value)));
  if (
    near &&
    !pronoun &&
    monarchs.test(previous) &&
    (word.length > 1 || /^(?:V|X)$/.test(word) || reigns.test(text.slice(at + 1, at + 16)))
  )
    return unitsOf(`the ${ordinalWords(String(value))}`);
  const rest = text.slice(at + word.length, at + word.length + 16).trimStart();
  if (blockKind === "heading" && previous === "") {
    if (rest === "" || /^[.:—–-]/.test(rest) || word.length > 1) return unitsOf(cardinalWords(String(value)));
  }
  return /^[IVX]{2,}$/.test(word) && !/^(?:an|the|a)$/i.test(previous)
    ? unitsOf(cardinalWords(String(value)))
    : undefined;
}

/** `St. Louis` is a saint, `Oak St.` a street: a capital behind decides, unless a name stands before and none behind. */
function saintOrStreet(context: RuleContext, end: number): string {
  if (/^\s*\p{Lu}/u.test(context.text.slice(end, end + 4))) return "saint";
  return /^\p{Lu}|\d(?:st|nd|rd|th)$/u.test(context.previous) ? "street" : "saint";
}

function doctorOrDrive(context: RuleContext, end: number): string {
  const after = context.text.slice(end, end + 16).trimStart();
  return /^\p{Lu}/u.test(context.previous) && !/^\p{Lu}/u.test(after) ? "drive" : "doctor";
}

/** Initials with stops: `C.I.A.`, `a.m.`, `J. R. R.` one at a time. Sticky. */
const initials = /\p{L}\.(?:\p{L}\.){1,7}|Ph\.D\./uy;

/** Rules that begin at a letter; `word` is the written word there (with its hyphens and apostrophes). */
export function wordRule(word: string, context: RuleContext): RuleAnswer | undefined {
  const { text, at, previous } = context;
  initials.lastIndex = at;
  if (text[at + word.length] === "." || word === "Ph") {
    const run = initials.exec(text)?.[0];
    if (run !== undefined && !/\p{L}/u.test(text[at + run.length] ?? "")) {
      const said = dotted.get(run.slice(0, -1).toLowerCase());
      const end = endsText(text, at + run.length) ? at + run.length - 1 : at + run.length;
      return said === undefined
        ? { rule: "initials", end, units: lettersOf(run) }
        : { rule: "abbreviation", end: at + run.length, units: unitsOf(said) };
    }
  }
  const end = at + word.length;
  const stop = text[end] === ".";
  const closed = stop && !endsText(text, end + 1) ? end + 1 : end;
  const lower = word.toLowerCase();
  const answer = (rule: string, units: readonly SpokenUnit[], to = closed): RuleAnswer => ({ rule, end: to, units });

  if (lower === "st" && (stop || /^\s\p{Lu}/u.test(text.slice(end, end + 2))) && word !== "ST")
    return answer("abbreviation", unitsOf(saintOrStreet(context, end + 1)));
  if (lower === "dr" && (stop || word === "Dr"))
    return answer("abbreviation", unitsOf(doctorOrDrive(context, end + 1)));
  const numbered = beforeNumber.get(lower);
  const single = lower === "b" || lower === "d" || lower === "r";
  if (
    numbered !== undefined &&
    stop &&
    (single ? /^\s(?:c\.\s)?\d{4}/ : /^\s?(?:\d|[ivxlc]+(?!\p{L}))/u).test(text.slice(end + 1, end + 16)) &&
    !(single && word !== lower)
  )
    return answer("abbreviation", unitsOf(numbered));
  if (word === "No" && /^\s\d/.test(text.slice(end, end + 2))) return answer("abbreviation", unitsOf("number"), end);
  if (lower === "no" && stop && /^\sof\s/.test(text.slice(end + 1, end + 5)))
    return answer("abbreviation", unitsOf("number"));
  if (lower === "ft" && stop && word === "Ft" && /^\s\p{Lu}/u.test(text.slice(end + 1, end + 3)))
    return answer("abbreviation", unitsOf("fort"));
  if (word === "Pt" && stop && /^\s\p{Lu}/u.test(text.slice(end + 1, end + 3)))
    return answer("abbreviation", unitsOf("point"));
  if (word === "Co" && stop && /^\s\p{Lu}\p{Ll}/u.test(text.slice(end + 1, end + 4)) && !/^\p{Lu}|^&$/u.test(previous))
    return answer("abbreviation", unitsOf("county"));
  // `Roe v. Wade`
  if (word === "v" && /^\p{Lu}/u.test(previous) && /^\.?\s\p{Lu}/u.test(text.slice(end, end + 3)))
    return answer("abbreviation", unitsOf("versus"));
  if (bareTitles.has(word) && /^\s\p{Lu}\p{Ll}/u.test(text.slice(end, end + 4)))
    return answer("abbreviation", unitsOf(withStop.get(lower) ?? word), end);
  const isMonth = /^(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)$/.test(lower);
  if (isMonth && /^\p{Lu}\p{Ll}/u.test(word) && /^\s\d{1,2}(?:st|nd|rd|th)?(?![\d:])/.test(text.slice(end, end + 6)))
    return answer("abbreviation", unitsOf(withStop.get(lower) ?? word), end);
  const isDay = /^(?:mon|tue|tues|wed|thu|thurs|fri)$/.test(lower);
  const said = withStop.get(lower);
  if (
    stop &&
    said !== undefined &&
    (!(isMonth || isDay || /^(?:gen|co|rep|fr|br)$/.test(lower)) || /^\p{Lu}/u.test(word)) &&
    (!/^(?:fr|br)$/.test(lower) || /^\s\p{Lu}/u.test(text.slice(end + 1, end + 3)))
  ) {
    // At the end of a sentence `mar.`, `est.` and the like are words.
    if (closed !== end || !context.isKnown(lower) || /^(?:etc|jr|sr|inc|ltd|co|ave|rd)$/.test(lower))
      return answer("abbreviation", unitsOf(said));
  }
  const bare = withoutStop.get(word);
  if (bare !== undefined) return answer("abbreviation", unitsOf(bare));
  if (/^(?:am|pm|AM|PM)$/.test(word) && /\d$|o'clock$/.test(previous)) return answer("time", lettersOf(word), end);
  const [, owner = "", ending = ""] = /^([IVXLCDM]+)(['’]s)$/.exec(word) ?? [];
  if (owner !== "") {
    // `Louis XVI’s`
    const units = roman(owner, context);
    const last = units?.at(-1);
    if (units && last && ending !== "")
      return answer("roman-numeral", [...units.slice(0, -1), { word: `${last.word}'s` }], end);
  }
  if (/^[IVXLCDM]+$/.test(word)) {
    const units = roman(word, context);
    if (units) return romanRange(units, answer("roman-numeral", units, end), text);
  }
  const small = smallRoman(word, context);
  if (small) return romanRange(small, answer("roman-numeral", small, end), text);
  const [, from = "", to = ""] = /^([IVXLC]{1,7}|[ivxlc]{1,7})-([IVXLC]{1,7}|[ivxlc]{1,7})$/.exec(word) ?? [];
  if (from !== "" && countedBy.test(previous.replace(/\.$/, ""))) {
    const first = romanValue(from.toUpperCase());
    const last = romanValue(to.toUpperCase());
    if (first !== undefined && last !== undefined)
      return answer("roman-numeral", unitsOf(`${cardinalWords(String(first))} to ${cardinalWords(String(last))}`), end);
  }
  if (word === "WW" && /^[12](?![\p{L}\p{N}])/u.test(text.slice(end, end + 2)))
    return answer("abbreviation", unitsOf("World War"), end);
  if (/^\p{L}$/u.test(word)) return singleLetter(word, context, stop);
  if (/^\p{Lu}{2,}(?:['’]?s)?$/u.test(word)) return capitals(word, context, end);
  return undefined;
}

function singleLetter(word: string, context: RuleContext, stop: boolean): RuleAnswer | undefined {
  const { text, at, previous } = context;
  const end = at + 1;
  const units = lettersOf(word);
  // The stop of an initial is not a pause: `James T. Kirk`.
  if (stop && /^\p{Lu}$/u.test(word) && /^\s+\p{Lu}/u.test(text.slice(end + 1, end + 4)))
    return { rule: "initial", end: end + 1, units };
  const last = !/^\s+\p{L}/u.test(text.slice(end, end + 3));
  if (word === "A" || word === "a" || word === "I" || word === "O") {
    if (
      word !== "O" &&
      word !== "I" &&
      (letterContexts.test(previous) ? last : last && previous !== "" && word === "A")
    )
      return { rule: "letter", end, units };
    return undefined;
  }
  return { rule: "letter", end, units };
}

function capitals(word: string, context: RuleContext, end: number): RuleAnswer | undefined {
  const plural = word.endsWith("s");
  const stem = word.replace(/['’]?s$/, "");
  if (context.isKnown(stem) && !letterWords.has(stem) && (stem.length > 3 || !/^[^AEIOUY]+$/.test(stem))) {
    // A shouted or an acronym that is a word; `it`, `us` and `am` are words unless capitals stand alone.
    return undefined;
  }
  const shouted =
    /\p{Lu}{2,}\s+\p{Lu}{2,}/u.test(context.text.slice(Math.max(0, context.at - 40), end + 40)) &&
    context.isKnown(stem.toLowerCase());
  // `HELP US!` shouts the word, `THE US` the country.
  if (shouted && (stem !== "US" || !/^the$/i.test(context.previous))) return undefined;
  if (stem.length > 8 || (stem.length > 5 && /[AEIOUY]/.test(stem))) return undefined;
  const units = lettersOf(stem);
  return { rule: "acronym", end, units: plural ? [...units, { word: "'s", letter: true }] : units };
}

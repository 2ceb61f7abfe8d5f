/**
 * Abbreviations that end in a full stop, by language and by what may follow them. Sources: the lists of titles,
 * months and units in the Chicago Manual of Style (ch. 10), Duden (Abkürzungen), Fundéu and the Imprimerie nationale.
 */
export interface AbbreviationTable {
  /** Never the end of a sentence: something always follows (titles, `e.g.`). Lower case, without the last stop. */
  readonly opening: ReadonlySet<string>;
  /** The end of a sentence only when a capital follows (`etc.`, `p.m.`). */
  readonly closing: ReadonlySet<string>;
  /** Not the end when a number follows (`No. 5`, `p. 12`, `Jan. 3`). */
  readonly numbered: ReadonlySet<string>;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const english: AbbreviationTable = {
  opening: words(
    "mr mrs ms mx messrs mme mmes mlle dr drs prof rev revd hon pres gov sen rep amb supt capt cpt col gen lt maj sgt cpl " +
      "adm cdr cmdr comm pvt brig fr br st ste mt ft pt e.g i.e eg ie cf viz vs v al ca c approx incl excl esp " +
      "dep asst assoc insp det const",
  ),
  closing: words(
    "etc jr sr esq inc ltd co corp bros dept univ assn ave blvd rd ln ct sq pl hwy a.m p.m am pm b.c a.d b.c.e c.e " +
      "ph.d m.d b.a m.a d.d.s ll.d u.s u.k u.n e.u u.s.a ibid op cit oz lb lbs yd yds in ft min mins hr hrs sec secs",
  ),
  numbered: words(
    "no nos p pp vol vols ch chap fig figs sec art para ver eq ex pt bk jan feb mar apr jun jul aug sep sept oct nov dec",
  ),
};

const german: AbbreviationTable = {
  opening: words(
    "hr fr dr prof dipl ing z.b z d.h d u.a u bzw ca vgl st nr bd evtl ggf inkl exkl sog geb gest hl s.o s.u",
  ),
  closing: words("usw etc u.s.w jh jhd str"),
  numbered: words("nr s bd kap abb art jan feb mär apr jun jul aug sep okt nov dez"),
};

const romance: AbbreviationTable = {
  opening: words(
    "m mm mme mmes mlle mlles dr pr st ste sr sra srta d dª ud uds p.ej p vs cf env av prof dott sig sig.ra ecc.mo",
  ),
  closing: words("etc ecc"),
  numbered: words("n no nº p pp pág págs vol chap cap fig art"),
};

const none: AbbreviationTable = { opening: new Set(), closing: new Set(), numbered: new Set() };

const tables: Readonly<Record<string, AbbreviationTable>> = {
  en: english,
  de: german,
  fr: romance,
  es: romance,
  it: romance,
  pt: romance,
  ja: none,
  zh: none,
  ko: none,
};

/** The table of a language; one that has none of its own gets the English one, whose entries cut too little. */
export function abbreviationsOf(language: string): AbbreviationTable {
  return tables[language.toLowerCase().split("-")[0] ?? "en"] ?? english;
}

/** Words that begin a sentence after an abbreviation or initial that could as well be followed by a name. */
export const sentenceStarters: ReadonlySet<string> = words(
  "a an the this that these those he she it we they you i his her its our their your my there here then when where " +
    "while what who why how which if as at in on by for from to after before but and or so yet nor now not no yes " +
    "with without however although though because since until once all some many most both each every one another " +
    "perhaps maybe suddenly finally meanwhile still even only just",
);

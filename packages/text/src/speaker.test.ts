import { readFileSync } from "node:fs";
import type { BlockKind, SpokenForm } from "@katari/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyPronunciation, type Pronunciation, type Reading } from "./pronunciation/pronunciation.ts";
import { createSpeaker } from "./speaker.ts";

const { vocabulary } = JSON.parse(
  readFileSync(new URL("../fixtures/kokoro-vocabulary.json", import.meta.url), "utf8"),
) as {
  vocabulary: Record<string, number>;
};

/** Entries of Misaki's us_gold.json (0.9.4, Apache-2.0) that the cases below need. */
const gold: Record<string, Reading> = {
  the: "ði",
  a: "A",
  an: "æn",
  to: "tu",
  of: "ʌv",
  I: "ˈI",
  it: "ɪt",
  is: "ɪz",
  was: "wʌz",
  he: "hi",
  she: "ʃi",
  read: { ADJ: "ɹˈɛd", DEFAULT: "ɹˈid", VBD: "ɹˈɛd", VBN: "ɹˈɛd", VBP: "ɹˈɛd" },
  wind: { DEFAULT: "wˈɪnd", VERB: "wˈInd" },
  live: { DEFAULT: "lˈIv", VERB: "lˈɪv" },
  use: { DEFAULT: "jˈuz", NOUN: "jˈus" },
  that: { DEFAULT: "ðæt", DT: "ðˈæt" },
  apple: "ˈæpᵊl",
  man: "mˈæn",
  hour: "ˈWəɹ",
  cat: "kˈæt",
  kiss: "kˈɪs",
  dog: "dˈɔɡ",
  want: "wˈɑnt",
  heat: "hˈit",
  walk: "wˈɔk",
  go: "ɡˌO",
  going: "ɡˈOɪŋ",
  water: "wˈɔɾəɹ",
  button: "bˈʌʔn",
  lead: "lˈid",
  pipe: "pˈIp",
  well: "wˈɛl",
  end: "ˈɛnd",
  will: "wɪl",
  had: "hæd",
  have: "hæv",
  A: "ˈA",
  S: "ˈɛs",
  D: "dˈi",
  K: "kˈA",
  M: "ˈɛm",
  nine: "nˈIn",
  at: "æt",
  NASA: "nˈæsə",
  zip: "zˈɪp",
  after: "ˈæftəɹ",
  dinner: "dˈɪnəɹ",
  bow: { DEFAULT: "bˈO", VERB: "bˈW" },
  house: { DEFAULT: "hˈWs", VERB: "hˈWz" },
  aged: "ˈAʤd",
  us: "ʌs",
  and: "ænd",
};
const small: Pronunciation = { gold: new Map(Object.entries(gold)), silver: new Map() };
const speaker = createSpeaker({ pronunciation: small, vocabulary });
const bare = createSpeaker({ pronunciation: emptyPronunciation(), vocabulary });

const speak = (text: string, blockKind: BlockKind = "paragraph", by = speaker): SpokenForm =>
  by.speak({ text, language: "en", spans: [], blockKind });
const phonemes = (text: string): string =>
  speak(text)
    .words.map((word) => word.before + word.phonemes + word.after)
    .join(" ");
const said = (text: string, kind: BlockKind = "paragraph"): string =>
  speak(text, kind)
    .words.map((word) => word.spoken)
    .join(" ")
    .toLowerCase();

describe("spoken form", () => {
  // Readings by the Chicago Manual of Style (ch. 9, numbers) and common usage in narration.
  it.each([
    [
      "World War II cost John Jr. $500 in 1920; ZIP 90210.",
      "world war two cost john junior five hundred dollars in nineteen twenty zip nine zero two one zero",
    ],
    ["$5.3 billion", "five point three billion dollars"],
    ["He flew Pan Am at 9 am.", "he flew pan am at nine a m"],
    ["He left.", "he left"],
    ["You *shouldn't* panic.", "you shouldn't panic"],
    ["Use our SDKs and APIs.", "use our s d ks and a p is"],
    ["IEEE 802.11", "ieee eight hundred two point one one"],
    ["See[15] https://example.org/a?b=1.", "see example dot org"],
    ["It&apos;s", "it's"],
    ["It&amp;apos;s", "it's"],
    ["Jack & Jones", "jack and jones"],
    ["C'était un drôle de son en stéréo.", "c'était un drôle de son en stéréo"],
    [
      "Mr. and Mrs. Smith saw Dr. Jones on Oak Dr. near St. Paul St. today",
      "mister and missus smith saw doctor jones on oak drive near saint paul street today",
    ],
    ["Henry VIII read Chapter IV of Part II.", "henry the eighth read chapter four of part two"],
    ["For my own part I was late.", "for my own part i was late"],
    ["the 21st of May, 1905", "the twenty-first of may nineteen oh five"],
    ["May 5, 1920", "may fifth nineteen twenty"],
    ["2024-03-15", "march fifteenth twenty twenty-four"],
    ["at 5:30 p.m. or 12:05 or 7:00", "at five thirty p m or twelve oh five or seven o'clock"],
    ["£3.50, €2, $0.99 and $1", "three pounds and fifty pence two euros ninety-nine cents and one dollar"],
    ["25% of 12,345.67", "twenty-five percent of twelve thousand three hundred forty-five point six seven"],
    ["1–3 and 3/4 and −5 and 007", "one to three and three quarters and minus five and zero zero seven"],
    ["the 1920s and 1900 and 2005", "the nineteen twenties and nineteen hundred and two thousand five"],
    ["5 km at 60 mph and 20°C", "five kilometers at sixty miles per hour and twenty degrees celsius"],
    ["version 1.2.3", "version one point two point three"],
    ["½ of x² is no. 5", "one half of x squared is number five"],
    ["call 555-1234", "call five five five one two three four"],
    ["e.g. this, i.e. that, etc.", "for example this that is that et cetera"],
    ["me@example.com", "me at example dot com"],
    ["goin’ to tell ’em ’tis so", "goin' to tell 'em 'tis so"],
    ["the book, and all.1 The end", "the book and all the end"],
    ["٣ and ３", "three and three"],
    ["5 mi. in 30 min. or the ’90s", "five miles in thirty minutes or the nineties"],
    [
      "In 1066 and 24/7 at €5.50/kg",
      "in ten sixty-six and twenty-four seven at five euros and fifty cents per kilogram",
    ],
    ["‘It’s the boys’ toys.’", "it's the boys' toys"],
    ["at 5:30 p.m. sharp, 5 ft. 3 in. tall", "at five thirty p m sharp five feet three inches tall"],
    ["10 a.m.–5 p.m. and 4.15 p.m.", "ten a m to five p m and four fifteen p m"],
    [
      "on 5/17/2024 and 3 March 1999",
      "on may seventeenth twenty twenty-four and the third of march nineteen ninety-nine",
    ],
    ["on 1 Jan. 1900 or Dec 25th", "on the first of january nineteen hundred or december twenty-fifth"],
    [
      "6'2\" or 5′10″ tall, 51°30′N",
      "six feet two inches or five feet ten inches tall fifty-one degrees thirty minutes north",
    ],
    ["odds of 2:1 and Luke 2:1", "odds of two to one and luke two one"],
    ["§§ 6–7 and § 5", "sections six to seven and section five"],
    ["between 5-10 men", "between five and ten men"],
    [
      "£3 10s. 6d. and 5s. 6d. and $.50 and 50¢",
      "three pounds ten shillings and six pence and five shillings and six pence and fifty cents and fifty cents",
    ],
    ["class of '99 and ’05", "class of ninety-nine and oh five"],
    ["ISBN 978-3-16-148410-0", "i s b n nine seven eight three one six one four eight four one zero zero"],
    ["0800 123 456 and 1 000 000", "zero eight zero zero one two three four five six and one million"],
    ["World War I was the Part I is", "world war one was the part one is"],
    ["Charles I lost; the part I played; Charles, I think", "charles the first lost the part i played charles i think"],
    ["Act I, Scene ii; Chapters IV–VI; pp. ix–xii", "act one scene two chapters four to six pages nine to twelve"],
    [
      "Louis XVI’s and World War I's and George V's",
      "louis the sixteenth's and world war one's and george the fifth's",
    ],
    ["King John I trust; pages i–iv", "king john i trust pages one to four"],
    ["MCMXCIX on the stone", "nineteen ninety-nine on the stone"],
    ["I—I—I know", "i i i know"],
    ["the CPU's and WWII", "the c p us and world war two"],
    ["WALK AT US", "walk at us"],
    ["foo.co.uk and C# and 5G", "foo dot co dot uk and c sharp and five g"],
    ["10 − 3 = 7 and ~50 and 2^10", "ten minus three equals seven and about fifty and two to the power of ten"],
    ["1~3 and 5〜6", "one to three and five to six"],
    ["7/8ths and 9.5/10", "seven eighths and nine point five out of ten"],
    ["No 10, op. 27, Roe v. Wade, Prof Plum", "number ten opus twenty-seven roe versus wade professor plum"],
    ["born c. 1350 (d. 1400)", "born circa thirteen fifty died fourteen hundred"],
    ["went.12 “gone,”3 said¹ x³", "went gone said x cubed"],
    ["He--she said--left", "he she said left"],
    ["’ouse and ’ow’s ’e", "'ouse and 'ow's 'e"],
  ])("says %j", (text, expected) => {
    expect(said(text)).toBe(expected);
  });

  it.each([
    ["Chapter 01", "chapter one"],
    ["II", "two"],
    ["I", "one"],
    ["IV. The End", "four the end"],
    ["I Have a Dream", "i have a dream"],
  ])("says the heading %j", (text, expected) => {
    expect(said(text, "heading")).toBe(expected);
  });

  it("names the rule and the range of every rewriting", () => {
    const { rewrites } = speak("He paid $5 on [3] *it*.");
    expect(rewrites).toEqual([
      { rule: "money", start: 8, end: 10, display: "$5", spoken: "five dollars" },
      { rule: "reference-mark", start: 14, end: 17, display: "[3]", spoken: "" },
      { rule: "ornament", start: 18, end: 19, display: "*", spoken: "" },
      { rule: "ornament", start: 21, end: 22, display: "*", spoken: "" },
    ]);
  });

  it("reads a very long run of digits in pieces and drops none", () => {
    const { words } = speak("7".repeat(20_000));
    expect(
      words
        .map((word) => word.spoken)
        .join(" ")
        .split(" "),
    ).toHaveLength(20_000);
    expect(Math.max(...words.map((word) => word.phonemes.length))).toBeLessThan(130);
  });

  it("announces letters that it cannot read", () => {
    const [word] = speak("漢字").words;
    expect(word).toMatchObject({ spoken: "characters", uncertain: true, start: 0, end: 2 });
    expect(word?.phonemes).not.toBe("");
  });
});

describe("phonemes", () => {
  // Forms as Misaki's own rules give them (stress, weak forms, flaps written T).
  it.each([
    ["a man", "ɐ mˈæn."],
    ["an hour", "ɐn ˈWəɹ."],
    ["the man", "ðə mˈæn."],
    ["the apple", "ði ˈæpᵊl."],
    ["to go", "tə ɡˌO."],
    ["to end", "tʊ ˈɛnd."],
    ["the cats, the dogs", "ðə kˈæts, ðə dˈɔɡz."],
    ["kisses", "kˈɪsᵻz."],
    ["walked", "wˈɔkt."],
    ["heated", "hˈiTᵻd."],
    ["wanted", "wˈɑntᵻd."],
    ["heating", "hˈiTɪŋ."],
    ["the dog's", "ðə dˈɔɡz."],
    ["water", "wˈɔTəɹ."],
    ["button", "bˈʌtn."],
    ["goin’", "ɡˈOɪn."],
    ["W-well", "wə wˈɛl."],
    ["“The man!”", "“ðə mˈæn!”"],
    ["after-dinner", "ˌæftəɹdˈɪnəɹ."],
    ["SDKs", "ˌɛsdˌikˈAz."],
    ["9 am", "nˈIn ˌAˈɛm."],
    // A dash between words is a pause, a hyphen that stands for the rest of a word is none.
    ["a man--the cat", "ɐ mˈæn— ðə kˈæt."],
    ["the man- and dog", "ðə mˈæn ænd dˈɔɡ."],
    ["a man . . . the cat", "ɐ mˈæn… ðə kˈæt."],
    // Accents that make a syllable keep it.
    ["catë", "kˈæti."],
    ["kissèd", "kˈɪsᵻd."],
    ["fiancé’s", "fiˌɑnsˈAz."],
    ["’our", "ˈWəɹ."],
    ["shhhhh", "ʃˈʌʃ."],
    ["'go'?", "“ɡˌO”?"],
    ["'the cats'", "“ðə kˈæts.”"],
  ])("says %j as %j", (text, expected) => {
    expect(phonemes(text)).toBe(expected);
  });

  it.each([
    ["she read it", "ɹˈɛd"],
    ["she will read it", "ɹˈid"],
    ["the wind", "wˈɪnd"],
    ["to wind it", "wˈInd"],
    ["to live", "lˈɪv"],
    ["I had lived", "lˈɪvd"],
    ["the use of it", "jˈus"],
    ["to use it", "jˈuz"],
    ["a lead pipe", "lˈɛd"],
    ["to lead", "lˈid"],
    ["he bowed", "bˈWd"],
    ["the bow and the man", "bˈO"],
    ["a deep bass", "bˈAs"],
    ["the cat is close to it", "klˈOs"],
    ["an aged man", "ˈAʤᵻd"],
    ["he aged", "ˈAʤd"],
    ["the claim is invalid", "ɪnvˈæləd"],
    ["Polish the pipe", "pˈɑlɪʃ"],
    ["a minute speck", "mInˈut"],
  ])("chooses the reading in %j", (text, expected) => {
    expect(speak(text).words.map((word) => word.phonemes)).toContain(expected);
  });

  it("stresses what is emphasised", () => {
    const form = speaker.speak({
      text: "it was the man",
      language: "en",
      spans: [{ kind: "emphasis", start: 3, end: 6 }],
      blockKind: "paragraph",
    });
    expect(form.words[1]?.phonemes).toBe("wˈʌz");
  });

  it("says where a word comes from", () => {
    expect(speak("cat cats zorblax").words.map((word) => [word.source, word.uncertain])).toEqual([
      ["dictionary", false],
      ["rule", false],
      ["guess", true],
    ]);
  });

  it("refuses a voice without the symbols and says which", () => {
    const poor = createSpeaker({ pronunciation: small, vocabulary: { k: 1, t: 2 } });
    expect(() => poor.speak({ text: "– cat", language: "en", spans: [], blockKind: "paragraph" })).toThrowError(
      expect.objectContaining({ code: "unsupported-format", details: { symbol: "æ", start: 2 } }) as Error,
    );
  });
});

describe("any text", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          "Dr. ",
          "$",
          "12",
          ",",
          ".5",
          "%",
          "’",
          "A.",
          "b",
          "IV",
          " ",
          "-",
          "“",
          "é",
          "Ж",
          "あ",
          "漢",
          "½",
          "&",
          "http://a.b",
          "\u0301",
          "😀",
          ":",
          "/",
          "(",
          "[1]",
        ),
        { maxLength: 30 },
      )
      .map((parts) => parts.join("")),
  );

  it("never throws, keeps its offsets in order, and says only the voice's symbols", () => {
    fc.assert(
      fc.property(texts, fc.constantFrom<BlockKind>("paragraph", "heading", "verse"), (text, kind) => {
        for (const by of [speaker, bare]) {
          const { words, rewrites } = speak(text, kind, by);
          let end = 0;
          for (const word of words) {
            expect(word.start).toBeGreaterThanOrEqual(end);
            expect(word.end).toBeGreaterThan(word.start);
            expect(word.text).toBe(text.slice(word.start, word.end));
            expect(word.phonemes.trim()).toBe(word.phonemes);
            expect(word.phonemes).not.toBe("");
            end = word.end;
            for (const symbol of word.before + word.phonemes + word.after) expect(vocabulary).toHaveProperty([symbol]);
          }
          for (const rewrite of rewrites) expect(rewrite.display).toBe(text.slice(rewrite.start, rewrite.end));
        }
      }),
      { numRuns: 400 },
    );
  });

  it("says every letter and digit: each is in a word", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { words, rewrites } = speak(text);
        const covered = new Set<number>();
        for (const { start, end } of [...words, ...rewrites]) for (let i = start; i < end; i++) covered.add(i);
        const left = Array.from({ length: text.length }, (_, i) => i).filter((i) => !covered.has(i));
        expect(left.filter((i) => /[\p{L}\p{N}]/u.test(text[i] ?? ""))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});

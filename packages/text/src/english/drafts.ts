import type { BlockKind, Rewrite } from "@katari/core";
import { addMark, markAt } from "../spoken/marks.ts";
import { digitWords } from "./number-words.ts";
import { numberRules } from "./number-rules.ts";
import { applyRules, unitsOf, type RuleAnswer, type RuleContext, type SpokenUnit } from "./spoken-rule.ts";
import { addressRules, symbolRules } from "./symbol-rules.ts";
import { wordRule } from "./word-rules.ts";

/** A display word with what is said for it, before phonemes. Offsets are UTF-16 units of the segment's text. */
export interface Draft {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly units: readonly SpokenUnit[];
  readonly rule?: string;
  /** Nobody could read it: `units` say so in its place. */
  readonly unreadable?: true;
  before: string;
  after: string;
}

const apostrophe = String.raw`(?:['’ʼ＇]|&(?:amp;)?(?:apos|#39|rsquo|#8217);)`;
const letters = String.raw`[\p{Script=Latin}\p{M}\u00ad\u200c\u200d]{1,48}`;
const latinWord = new RegExp(
  String.raw`(?=\p{Script=Latin})${letters}(?:${apostrophe}${letters}){0,3}(?:(?:\u2060?[-‐‑]\u2060?|\u2060)${letters}(?:${apostrophe}${letters}){0,3}){0,6}`,
  "uy",
);
const entity = /&(?:amp;)?(?:apos|#39|rsquo|#8217);/gi;
/** Clipped words that begin with an apostrophe. */
const clipped =
  /['’‘](?:tis|twas|twere|twould|twill|twixt|em|n|cause|til|till|bout|round|neath|gainst|tween|way|cept|stead|un|im|er|ere|e|ow|ave|ome|mongst|midst|nother|nuff|fraid|spect|s|d|ll|re|ve)(?:['’](?:s|d|ll|re|ve))?(?![\p{L}\p{N}])['’]?/iuy;
/** Any word may drop its h (`’ouse`, `'ead`): known by the dictionary, and by an apostrophe that opens no quotation. */
const dropped = /['’](\p{Ll}{2,20})(?![\p{L}\p{N}])/uy;
const kanaWord = /[\p{Script=Hiragana}\p{Script=Katakana}ー]{1,16}/uy;
const otherWord = /(?:\p{Script=Greek}|\p{Script=Cyrillic}|\p{M}){1,40}/uy;
const otherRun =
  /(?:(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{No}\p{Nl}]){1,24}/uy;
const digitRun = /\p{Nd}/u;

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** Digits of the longest number that is read as one. */
const longestNumber = 15;
/** Letters of the longest hyphenated word that stays one word. */
const longestCompound = 60;

/** ASCII digits for decimal digits of any script, one for one, so that offsets stay. */
function withPlainDigits(text: string): string {
  if (!/[^ -~\s]/.test(text)) return text;
  return text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    if (code < 128) return digit;
    const folded = digit.normalize("NFKC");
    if (/^[0-9]$/.test(folded)) return folded.padEnd(digit.length, "\u2060");
    let zero = code;
    while (code - zero < 9 && digitRun.test(String.fromCodePoint(zero - 1))) zero--;
    return String(code - zero).padEnd(digit.length, "\u2060");
  });
}

/** The text's words and marks by the rules of English. Every character is in a draft, a mark, a rewrite or white space. */
export function draftWords(
  display: string,
  blockKind: BlockKind,
  isKnown: (word: string) => boolean,
): { drafts: Draft[]; silent: Rewrite[] } {
  const text = withPlainDigits(display);
  const drafts: Draft[] = [];
  const silent: Rewrite[] = [];
  const hasAddress = /:\/\/|www\.|@|\p{L}\.\p{L}/iu.test(text);
  let pending = "";
  let openSingle = 0;
  let longRunEnd = 0;
  let at = 0;

  const word = (end: number, units: readonly SpokenUnit[], rule?: string, unreadable?: true): void => {
    drafts.push({
      start: at,
      end,
      text: display.slice(at, end),
      units,
      before: pending,
      after: "",
      ...(rule === undefined ? {} : { rule }),
      ...(unreadable ? { unreadable } : {}),
    });
    pending = "";
    at = end;
  };
  const answered = (answer: RuleAnswer): void => {
    if (answer.units.length > 0) return word(answer.end, answer.units, answer.rule);
    silent.push({ rule: answer.rule, start: at, end: answer.end, display: display.slice(at, answer.end), spoken: "" });
    at = answer.end;
  };

  while (at < text.length) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (/[\s\p{Cf}\p{Cc}]/u.test(character)) {
      at += character.length;
      continue;
    }
    const context: RuleContext = { text, at, previous: drafts.at(-1)?.text ?? "", blockKind, isKnown };
    if (hasAddress && /[\p{L}\p{N}]/u.test(character)) {
      const answer = applyRules(addressRules, context);
      if (answer) {
        answered(answer);
        continue;
      }
    }
    if (at >= longRunEnd && /\d/.test(character)) {
      let end = at;
      while (/\d/.test(text[end] ?? "")) end++;
      if (end - at > longestNumber) longRunEnd = end;
    }
    if (at < longRunEnd) {
      // Too long for a number: a few digits at a time, so that it can be cut for the voice.
      const end = Math.min(at + 4, longRunEnd);
      word(end, unitsOf(digitWords(text.slice(at, end))), "digits");
      continue;
    }
    if (/[\d$£€¥￥₹₽+(.AUCv'’‘]/.test(character)) {
      const answer = applyRules(numberRules, context);
      if (answer) {
        answered(answer);
        continue;
      }
    }
    const short = match(clipped, text, at);
    if (short !== "" && !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "")) {
      const end = at + (/['’]n['’]$/i.test(short) ? short.length : short.replace(/['’]$/, "").length);
      word(end, unitsOf(text.slice(at, end).replace(/[’‘]/g, "'").toLowerCase()));
      continue;
    }
    const rest = match(dropped, text, at).slice(1);
    if (
      rest !== "" &&
      /^[aeiou]/.test(rest) &&
      !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "") &&
      isKnown(`h${rest}`) &&
      (character === "’" || !/[.,!?…]['’]/.test(text.slice(at + 1, at + 120)))
    ) {
      word(at + 1 + rest.length, unitsOf(`'${rest}`));
      continue;
    }
    const whole = match(latinWord, text, at);
    const written = whole.length > longestCompound ? (/^[^-‐‑\u2060]+/u.exec(whole)?.[0] ?? whole) : whole;
    if (written !== "") {
      const answer = wordRule(written, context) ?? hyphenated(written, context);
      if (answer) {
        answered(answer);
        continue;
      }
      let end = at + written.length;
      if (closesWord(written, text, end, openSingle > 0)) end++;
      const clean = text
        .slice(at, end)
        .replace(entity, "'")
        .replace(/[’ʼ＇]/g, "'")
        .replace(/\p{Cf}/gu, "");
      const rewritten = entity.test(written) ? "entity" : undefined;
      entity.lastIndex = 0;
      word(end, [{ word: clean }], rewritten);
      continue;
    }
    const foreign = match(kanaWord, text, at) || match(otherWord, text, at);
    if (foreign !== "" && /\p{L}/u.test(foreign)) {
      word(at + foreign.length, [{ word: foreign }], "transliterated");
      continue;
    }
    const answer = applyRules(symbolRules, context);
    if (answer) {
      answered(answer);
      continue;
    }
    const unknown = match(otherRun, text, at);
    if (unknown !== "" && /[\p{L}\p{No}\p{Nl}]/u.test(unknown)) {
      const folded = unknown.normalize("NFKC");
      if (/^[0-9]{1,15}$/.test(folded))
        word(at + unknown.length, applyRules(numberRules, { ...context, text: folded, at: 0 })?.units ?? []);
      else if (/^[A-Za-z]+$/.test(folded)) word(at + unknown.length, unitsOf(folded), "folded");
      else
        word(
          at + unknown.length,
          unitsOf(Array.from(unknown).length === 1 ? "character" : "characters"),
          "unreadable",
          true,
        );
      continue;
    }
    const mark = markAt(text, at);
    if (character === "‘" || (character === "'" && mark.side === "before")) openSingle++;
    if ((character === "’" || (character === "'" && mark.side === "after")) && openSingle > 0) openSingle--;
    const last = drafts.at(-1);
    if (mark.symbol === "") {
      silent.push({ rule: "ornament", start: at, end: mark.end, display: display.slice(at, mark.end), spoken: "" });
    } else if (mark.side === "before" || !last) pending = addMark(pending, mark.symbol);
    else if (pending === "") last.after = addMark(last.after, mark.symbol);
    else pending = addMark(pending, mark.symbol);
    at = mark.end;
  }
  const last = drafts.at(-1);
  if (last && pending !== "") for (const symbol of pending) last.after = addMark(last.after, symbol);
  return { drafts, silent };
}

/** Whether an apostrophe behind a word is its own (`the boys’ toys`, `goin’`) and not the end of a quotation. */
function closesWord(written: string, text: string, at: number, quoting: boolean): boolean {
  if (!/^['’]/.test(text.slice(at, at + 1)) || !/(?:s|in)$|^(?:o|an|ol|th|wi|mo|po|fo)$/i.test(written)) return false;
  // In a quotation it is the word's only when the quotation goes on and ends later.
  return !quoting || (/^\s\p{L}/u.test(text.slice(at + 1, at + 3)) && /[.,!?…]’/.test(text.slice(at + 1, at + 240)));
}

/** `W-well` is a stammer; other hyphens join a compound, which stays one word. */
function hyphenated(written: string, context: RuleContext): RuleAnswer | undefined {
  const stammer = /^(\p{L}{1,2})(?:[-‐‑]\1){0,4}[-‐‑](\1\p{L}[\p{L}'’]*)/iu.exec(written);
  const [all = "", onset = "", whole = ""] = stammer ?? [];
  if (
    stammer &&
    all.length === written.length &&
    !/^(?:re|co|be|no|so|do|go|a|i|o)$/i.test(onset) &&
    (context.isKnown(whole.toLowerCase()) || context.isKnown(whole.toLowerCase().replace(/['’]\p{L}{1,2}$/u, "")))
  )
    return { rule: "stammer", end: context.at + written.length, units: [{ word: `${onset}-` }, { word: whole }] };
  return undefined;
}

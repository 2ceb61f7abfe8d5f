import { referenceMarkSource } from "./reference-marks.ts";
import { abbreviationsOf, sentenceStarters, type AbbreviationTable } from "./abbreviations.ts";

/** Where a sentence ends: `end` is behind its stop and everything that closes with it. */
export interface SentenceEnd {
  readonly end: number;
  readonly ellipsis: boolean;
}

const stops = /\.(?:[^\S\n]\.){1,5}|[.!?…。！？｡‼⁇⁈⁉।॥؟۔]+|\n[^\S\n]*\n/gu;
const closers = /["'”’)\]}»›」』）】〉》*_\u2060]*/uy;
const openers = /[\s"'“‘«‹([{「『（【〈《*_¡¿—–―\u2060-]{0,24}/uy;
const referenceMarks = new RegExp(String.raw`(?:[^\S\n]?(?:${referenceMarkSource})|[†‡])+`, "uy");
const cjkStop = /[。！？｡]/u;
const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}「『（]/u;
/** What goes on with a quotation: 「…。」と言った, （…。）が. */
const japaneseContinuation = /[とがをにはもでのっなへよねかだ、,]/u;

/** Matches a sticky expression at a place and returns where it ends. */
function endOf(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : at;
}

function wordBefore(text: string, at: number): string {
  let start = at;
  while (start > 0 && at - start < 24 && /[\p{L}\p{M}\p{N}.]/u.test(text[start - 1] ?? "")) start--;
  return text.slice(start, at);
}

/** Decides whether a single full stop after `before` ends a sentence that `next` would go on from. */
function isFullStop(before: string, next: string, table: AbbreviationTable, atStart: boolean): boolean {
  const abbreviation = before.toLowerCase();
  const word = /^[\p{L}\p{M}’']+/u.exec(next)?.[0] ?? "";
  const starts = sentenceStarters.has(word.toLowerCase()) && !/^\p{L}\./u.test(next);
  // `Vol. 2`, `Vol. II`; a lone `I` is the pronoun as often.
  if (/^(?:\p{N}|(?:[IVXLC]{2,}|[VX])(?!\p{L}))/u.test(next)) {
    if (table.numbered.has(abbreviation) || table.opening.has(abbreviation)) return false;
  }
  if (table.opening.has(abbreviation)) return false;
  // `(d. 1400)`, `5s. 6d.`
  if (/^\p{N}/u.test(next) && /^(?:b|d|fl|r|op|\d{1,3}s)$/.test(before)) return false;
  if (table.closing.has(abbreviation)) {
    // After `Jr.` a name may follow; after `etc.` and `p.m.` a capital begins a sentence.
    return /^(?:jr|sr|[a-z]\.[a-z](?:\.[a-z])?)$/.test(abbreviation) && !/^[ap]\.m$/.test(abbreviation)
      ? starts
      : /^[\p{Lu}\p{Lo}]/u.test(next);
  }
  // One capital is an initial, unless what follows can only begin a sentence.
  if (/^\p{Lu}$/u.test(before)) return starts;
  if (/^(?:\p{L}\.)+\p{L}$/u.test(before)) return abbreviation === "a.m" || abbreviation === "p.m" ? true : starts;
  // `1. Mix`: a number with a stop at the head of a block is a label.
  if (atStart && /^(?:\p{Nd}{1,3}|[ivxlc]{1,6}|\p{L})$/iu.test(before)) return false;
  return true;
}

/**
 * Walks a text once and yields the end of every sentence but the last. Rules in order: an empty line ends; a
 * Japanese or Chinese stop ends unless the quotation that closes there goes on; a Latin stop needs white space, a
 * quotation or a CJK character behind it and no small letter after that; a single full stop also asks the tables.
 * Looks back 24 and ahead 64 characters at most, so it is linear.
 */
export function* sentenceEnds(text: string, language: string): Generator<SentenceEnd> {
  const table = abbreviationsOf(language);
  const finder = new RegExp(stops.source, stops.flags);
  let from = 0;
  for (let match = finder.exec(text); match; match = finder.exec(text)) {
    const run = match[0];
    if (run.startsWith("\n")) {
      yield { end: match.index, ellipsis: false };
      from = finder.lastIndex;
      continue;
    }
    const end = endOf(closers, text, finder.lastIndex);
    const afterMarks = endOf(referenceMarks, text, end);
    finder.lastIndex = Math.max(end, finder.lastIndex);
    if (end >= text.length) return;
    const behind = text[afterMarks] ?? "";
    const ellipsis = /…|\.[^\S\n]?\.|。。/u.test(run);
    if (cjkStop.test(run)) {
      const closed = end > match.index + run.length;
      if (closed && japaneseContinuation.test(behind)) continue;
    } else {
      const gap = behind === "" || /\s/u.test(behind) || /[“«「『（]/u.test(behind) || cjk.test(behind);
      if (!gap) continue;
      const nextAt = endOf(openers, text, afterMarks);
      const next = text.slice(nextAt, nextAt + 40);
      if (/^\p{Ll}/u.test(next)) continue;
      if (run === ".") {
        const before = wordBefore(text, match.index);
        const atStart = match.index - from < 32 && text.slice(from, match.index).trim() === before;
        const quoted = /[”"»]/u.test(text.slice(match.index, end));
        if (!quoted && next !== "" && !isFullStop(before, next, table, atStart)) continue;
      }
    }
    yield { end, ellipsis };
    from = end;
  }
}

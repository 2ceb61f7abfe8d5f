import type { BlockBuilder, OpenSpan } from "../block-builder.ts";
import { isReading } from "../ruby-reading.ts";
import type { FileLedger } from "../file-ledger.ts";

const rubyBase = /(?:[\p{Script=Han}々〆〇ヶ仝]+|[\u3041-\u309F]+|[\u30A1-\u30FF]+|[A-Za-zÀ-ɏ]+)$/u;
const aozoraMark = /※?［＃[^］]*］|｜|《([^》\n]{1,60})》/gu;
const emphasis = /(?<![\p{L}\p{N}_])_(?=\S)([^_]{1,400}?)(?<=\S)_(?![\p{L}\p{N}_])/gu;

/** Adds a line with the marks of Aozora Bunko: readings in 《》 (from ｜ where their base is marked), notes in ［＃］. */
export function addAozoraLine(
  ledger: FileLedger,
  target: BlockBuilder,
  start: number,
  end: number,
  strict: boolean,
): void {
  const line = ledger.text.slice(start, end);
  let at = 0;
  let marked: number | undefined;
  let base = "";
  const plain = (to: number): void => {
    const text = line.slice(at, to);
    target.add(text, start + at);
    base += text;
    at = to;
  };
  for (const match of line.matchAll(aozoraMark)) {
    const [whole, reading] = match;
    if (reading !== undefined) {
      plain(match.index);
      const run = marked === undefined ? (rubyBase.exec(base)?.[0] ?? "") : base.slice(marked).trim();
      const isRuby =
        run !== "" && (marked !== undefined || strict || (isReading(reading) && /\p{Script=Han}$/u.test(run)));
      if (!isRuby) continue;
      const spoken = isReading(reading);
      if (spoken)
        target.addSpan({ kind: "ruby", start: target.length() - run.length, end: target.length(), value: reading });
      ledger.skip(spoken ? "ruby-reading" : "ruby-gloss", start + match.index, start + match.index + whole.length);
      marked = undefined;
      base = "";
    } else if (whole === "｜") {
      // A bar marks a base only where a reading follows it.
      if (!/^[^｜《\n]{1,40}《/u.test(line.slice(match.index + 1))) continue;
      plain(match.index);
      marked = 0;
      base = "";
      ledger.skip("markup", start + match.index, start + match.index + 1);
    } else {
      if (!strict) continue;
      plain(match.index);
      addNote(ledger, target, whole, start + match.index);
      at = match.index + whole.length;
      continue;
    }
    at = match.index + whole.length;
  }
  plain(line.length);
}

/** A note is not voiced; a character that the note describes by its code point is put in. */
function addNote(ledger: FileLedger, target: BlockBuilder, note: string, start: number): void {
  const end = start + note.length;
  const code = note.startsWith("※") ? /U\+([\dA-Fa-f]{4,6})/u.exec(note)?.[1] : undefined;
  if (code !== undefined && Number.parseInt(code, 16) <= 0x10ffff) {
    target.addDecoded(String.fromCodePoint(Number.parseInt(code, 16)), start, end, "aozora-note");
  } else ledger.skip(note.startsWith("※") ? "aozora-character" : "aozora-note", start, end);
}

/** `well-` at a line's end and `known` at the next are one word; `two- ` before `and` is not. */
function endsInHyphen(
  text: string,
  before: { start: number; end: number },
  line: { start: number; end: number },
): boolean {
  return (
    /\p{Ll}-\s*$/u.test(text.slice(Math.max(before.start, before.end - 8), before.end)) &&
    /^\s*(?!(?:and|or|nor|to|und|oder|bis|et|ou)\b)\p{Ll}/u.test(text.slice(line.start, line.end))
  );
}

/** Adds paragraphs of Western e-texts, where `_words_` between low lines were in italics. */
export function addPlainLines(
  ledger: FileLedger,
  target: BlockBuilder,
  lines: readonly { start: number; end: number }[],
  verse: boolean,
): void {
  const first = lines[0]?.start ?? 0;
  const last = lines[lines.length - 1]?.end ?? first;
  const whole = ledger.text.slice(first, last);
  const marks: { readonly place: number; readonly opens: boolean }[] = [];
  for (const match of whole.matchAll(emphasis)) {
    marks.push({ place: first + match.index, opens: true });
    marks.push({ place: first + match.index + match[0].length - 1, opens: false });
  }
  let next = 0;
  let span: OpenSpan | undefined;
  for (const [index, line] of lines.entries()) {
    const previous = lines[index - 1];
    if (previous && !(endsInHyphen(ledger.text, previous, line) && !verse)) target.breakLine(verse);
    let at = line.start;
    for (let mark = marks[next]; mark && mark.place < line.end; mark = marks[++next]) {
      target.add(ledger.text.slice(at, mark.place), at);
      ledger.skip("markup", mark.place, mark.place + 1);
      at = mark.place + 1;
      if (mark.opens) span = target.openSpan("emphasis");
      else if (span) target.closeSpan(span);
    }
    target.add(ledger.text.slice(at, line.end), at);
  }
}

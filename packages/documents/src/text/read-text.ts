import { AppError, type SourceBlock, type SourceDocument, type SourceTree } from "@katari/core";
import { createBlockBuilder, finishBlock } from "../block-builder.ts";
import { createFileLedger, type FileLedger } from "../file-ledger.ts";
import { guessLanguage } from "../guess-language.ts";
import { titleRule } from "../part-titles.ts";
import { headingStyle, type HeadingStyle } from "./chapter-headings.ts";
import type { DecodedText } from "./decode-text.ts";
import { openingCredits, takeOffFrame, type Framed } from "./frames.ts";
import { addAozoraLine, addPlainLines } from "./inline-marks.ts";
import { findParagraphs, type Paragraph } from "./paragraphs.ts";

/**
 * Reads plain text: paragraphs, verse, scene breaks, and chapters where lines that stand alone are headings. The
 * licence of Project Gutenberg and the frame and marks of Aozora Bunko are known.
 * @throws AppError `empty-source`
 */
export function readText({ text, encoding }: DecodedText, fileName: string): SourceTree {
  const ledger = createFileLedger(fileName, text);
  const frame = takeOffFrame(ledger);
  const paragraphs = findParagraphs(text, frame.from, frame.to);
  const styles = plausibleStyles(text, paragraphs, frame.aozora);
  const language = frame.language ?? guessLanguage(text.slice(frame.from, frame.to));
  const japanese = language === "ja";
  const spoken = withoutContents(ledger, paragraphs);
  const blocks = spoken.flatMap((paragraph) => toBlock(ledger, paragraph, styles, japanese, frame.aozora) ?? []);
  const credits = frame.title === undefined ? openingCredits(text, frame.from, frame.to) : frame;
  const title = credits.title ?? fileName.replace(/\.[^.]*$/u, "");
  const documents = chapters(ledger, blocks, title, frame);
  if (documents.length === 0) {
    throw new AppError("empty-source", `${fileName} has no text to narrate.`, { cure: "Choose a file with text." });
  }
  ledger.prove(documents.flatMap((document) => document.blocks));
  return {
    format: "text",
    metadata: { title, authors: frame.authors ?? credits.authors ?? [], language },
    documents,
    skipped: ledger.skipped(),
    files: [ledger.file()],
    encoding,
  };
}

/** Styles of heading that the text uses at least twice; one lone “I” or “Part two …” is no chapter. */
function plausibleStyles(text: string, paragraphs: readonly Paragraph[], aozora: boolean): ReadonlySet<HeadingStyle> {
  const counts = new Map<HeadingStyle, number>();
  let counted = 0;
  for (const paragraph of paragraphs) {
    const style = styleOf(text, paragraph, aozora);
    if (style === "number") {
      const value = Number.parseInt(text.slice(paragraph.lines[0]?.start, paragraph.lines[0]?.end), 10);
      // Bare numbers are chapters only where they count up from the first: years, pages and lists do not.
      counted = value === counted + 1 && counted >= 0 ? value : -1;
    }
    if (style) counts.set(style, (counts.get(style) ?? 0) + 1);
  }
  if (counted < 2) counts.delete("number");
  return new Set([...counts].filter(([, count]) => count >= 2).map(([style]) => style));
}

/** Paragraphs without tables of contents: at least three lines (two below the word), each a chapter's heading. */
function withoutContents(ledger: FileLedger, paragraphs: readonly Paragraph[]): Paragraph[] {
  const lineOf = (line: { start: number; end: number }): string =>
    ledger.text.slice(line.start, line.end).replace(/[\s.·…]*\d{0,4}\s*$/u, "");
  const kept: Paragraph[] = [];
  for (const paragraph of paragraphs) {
    const above = kept[kept.length - 1];
    const named =
      above !== undefined &&
      above.lines.length === 1 &&
      /^\s*(?:table of )?contents[.:]?\s*$/iu.test(lineOf(above.lines[0] ?? { start: 0, end: 0 }));
    const listed =
      paragraph.lines.length >= (named ? 2 : 3) &&
      paragraph.lines.every((line) => headingStyle(lineOf(line)) !== undefined);
    if (!listed) {
      kept.push(paragraph);
      continue;
    }
    if (named) kept.pop();
    const [first] = named ? above.lines : paragraph.lines;
    const last = paragraph.lines[paragraph.lines.length - 1];
    if (first && last) ledger.skip("toc", first.start, last.end);
  }
  return kept;
}

function styleOf(text: string, { lines }: Paragraph, aozora: boolean): HeadingStyle | undefined {
  const [first] = lines;
  if (!first || lines.length > 2) return undefined;
  const line = text.slice(first.start, first.end);
  const style = headingStyle(aozora ? line.replace(/［＃[^］]*］/gu, "") : line);
  const second = lines[1];
  // Two headings in two lines are entries of a list, and a number stands alone.
  if (second && (style === "number" || headingStyle(text.slice(second.start, second.end)) !== undefined))
    return undefined;
  return style;
}

function toBlock(
  ledger: FileLedger,
  paragraph: Paragraph,
  styles: ReadonlySet<HeadingStyle>,
  japanese: boolean,
  aozora: boolean,
): SourceBlock | undefined {
  const { lines, verse } = paragraph;
  const [first] = lines;
  const last = lines[lines.length - 1];
  if (!first || !last) return undefined;
  const marked = aozora ? /［＃[^］]*([大中小])見出し/u.exec(ledger.text.slice(first.start, last.end))?.[1] : undefined;
  const style = styleOf(ledger.text, paragraph, aozora);
  const level = marked === undefined ? (style && styles.has(style) ? 1 : undefined) : "大中小".indexOf(marked) + 1;
  const target = createBlockBuilder(ledger, {
    kind: level !== undefined ? "heading" : verse ? "verse" : "paragraph",
    level,
  });
  if (japanese) {
    for (const [index, line] of lines.entries()) {
      if (index > 0) target.breakLine(verse);
      addAozoraLine(ledger, target, line.start, line.end, aozora);
    }
  } else addPlainLines(ledger, target, lines, verse && level === undefined);
  return finishBlock(ledger, target);
}

function chapters(
  ledger: FileLedger,
  blocks: readonly SourceBlock[],
  bookTitle: string,
  frame: Framed,
): SourceDocument[] {
  const highest = Math.min(...blocks.flatMap(({ kind, level }) => (kind === "heading" ? [level ?? 1] : [])));
  const starts = blocks.flatMap(({ kind, level }, index) => (kind === "heading" && level === highest ? [index] : []));
  const opening = blocks.slice(0, starts[0] ?? blocks.length);
  // A title and a name above the first chapter are no chapter: they open it.
  const short = opening.reduce((sum, { text }) => sum + text.length, 0) < 400;
  if (starts.length > 0 && short) starts[0] = 0;
  else if (starts[0] !== 0) starts.unshift(0);
  const documents: SourceDocument[] = [];
  for (const [index, from] of starts.entries()) {
    const to = starts[index + 1] ?? blocks.length;
    const part = blocks.slice(from, to);
    if (!part.some(({ text }) => text !== "")) continue;
    const heading = part.find(({ kind }) => kind === "heading")?.text.replace(/\s+/gu, " ");
    const title = heading ?? bookTitle;
    const listed = part.every(({ kind }) => kind !== "paragraph" && kind !== "verse") && repeated(blocks, to, heading);
    const rule = listed ? "toc" : titleRule(title);
    if (rule === undefined || starts.length === 1)
      documents.push({ title, anchor: { file: ledger.path }, blocks: part });
    else {
      const start = from === 0 ? frame.from : (part[0]?.range.start ?? frame.from);
      const end = blocks[to]?.range.start ?? frame.to;
      ledger.withdraw(start, end);
      ledger.skip(rule, start, end, title);
    }
  }
  return documents;
}

/** Whether a heading without text under it comes again further on: then it stands in a table of contents. */
function repeated(blocks: readonly SourceBlock[], from: number, heading: string | undefined): boolean {
  if (heading === undefined) return false;
  const folded = heading.toLowerCase();
  return blocks
    .slice(from)
    .some(({ kind, text }) => kind === "heading" && text.replace(/\s+/gu, " ").toLowerCase() === folded);
}

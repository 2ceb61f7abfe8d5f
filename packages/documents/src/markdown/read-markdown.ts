import { AppError, type SourceBlock, type SourceDocument, type SourceTree } from "@katari/core";
import { firstWords } from "../first-words.ts";
import { createFileLedger, type FileLedger } from "../file-ledger.ts";
import { guessLanguage } from "../guess-language.ts";
import { titleRule } from "../part-titles.ts";
import type { DecodedText } from "../text/decode-text.ts";
import { readFrontMatter } from "./front-matter.ts";
import { readMarkdownBlocks } from "./markdown-blocks.ts";

/** Whether text without a telling name is Markdown: front matter, or at least two headings with number signs. */
export function looksLikeMarkdown(text: string): boolean {
  return readFrontMatter(text) !== undefined || [...text.slice(0, 200_000).matchAll(/^#{1,6} \S/gmu)].length >= 2;
}

/**
 * Reads a Markdown file. Chapters begin at first-level headings; where there is only one, which is the book's title,
 * at those of the second level.
 * @throws AppError `empty-source`, `too-large` for nesting that no writer makes and no parser gets through
 */
export function readMarkdown({ text, encoding }: DecodedText, fileName: string): SourceTree {
  refuseHostile(text, fileName);
  const ledger = createFileLedger(fileName, text);
  const front = readFrontMatter(text);
  if (front) ledger.skip("front-matter", 0, front.length);
  const blocks = readMarkdownBlocks(ledger, front?.length ?? 0);
  const level = chapterLevel(blocks);
  const heading = blocks.find((block) => block.kind === "heading" && block.level === 1)?.text;
  const nameless = fileName.replace(/\.[^.]*$/u, "");
  const title = front?.fields.title ?? (level === 2 || !front ? heading : undefined) ?? nameless;
  const documents = chapters(ledger, blocks, level, title);
  if (documents.length === 0) {
    throw new AppError("empty-source", `${fileName} has no text to narrate.`, {
      cure: "Choose a file with text; code, images and tables of contents are not narrated.",
    });
  }
  ledger.prove(documents.flatMap((document) => document.blocks));
  const { authors = [], language, ...fields } = front?.fields ?? {};
  return {
    format: "markdown",
    metadata: { ...fields, title, authors, language: language ?? guessLanguage(documents) },
    documents,
    skipped: ledger.skipped(),
    files: [ledger.file()],
    encoding,
  };
}

/** Deepest quotations and lists, and most brackets of one paragraph, that are parsed: the parser is slow beyond. */
function refuseHostile(text: string, fileName: string): void {
  const nested = /^(?:[ \t]{0,3}>){200}/mu.test(text) || /^(?:[ \t]{0,3}(?:[-*+]|\d{1,3}[.)])[ \t]){200}/mu.test(text);
  const indented = (text.match(/^[ \t]{200,}(?:[-*+]|\d{1,9}[.)])[ \t]/gmu)?.length ?? 0) > 200;
  let brackets = 0;
  let most = 0;
  for (const match of text.matchAll(/\[|\n[ \t]*\r?\n/gu)) {
    brackets = match[0] === "[" ? brackets + 1 : 0;
    most = Math.max(most, brackets);
  }
  if (!nested && !indented && most <= 10_000) return;
  throw new AppError("too-large", `${fileName} is nested deeper than Markdown that can be read.`, {
    cure: "Save it as plain text, with a name that ends in .txt, and without its signs of markup.",
  });
}

function chapterLevel(blocks: readonly SourceBlock[]): number | undefined {
  const count = (level: number): number => blocks.filter((b) => b.kind === "heading" && b.level === level).length;
  if (count(1) >= 2) return 1;
  if (count(1) === 1) return count(2) >= 1 ? 2 : 1;
  return count(2) >= 2 ? 2 : undefined;
}

function chapters(
  ledger: FileLedger,
  blocks: readonly SourceBlock[],
  level: number | undefined,
  bookTitle: string,
): SourceDocument[] {
  const starts = blocks.flatMap((block, index) => (block.kind === "heading" && block.level === level ? [index] : []));
  if (starts[0] !== 0) starts.unshift(0);
  const documents: SourceDocument[] = [];
  for (const [index, from] of starts.entries()) {
    const to = starts[index + 1] ?? blocks.length;
    const part = blocks.slice(from, to);
    const first = part.find(({ text }) => text !== "");
    if (!first) continue;
    const title =
      first.kind === "heading" ? first.text.replace(/\s+/gu, " ") : from === 0 ? bookTitle : firstWords(first.text);
    const titleOnly = starts.length > 1 && part.every(({ kind, level }) => kind === "heading" && level === 1);
    const rule = titleRule(title) ?? (titleOnly && from === 0 && level === 2 ? "titlepage" : undefined);
    if (rule === undefined) documents.push({ title, anchor: { file: ledger.path }, blocks: part });
    else {
      const start = part[0]?.range.start ?? 0;
      const end = blocks[to]?.range.start ?? ledger.text.length;
      ledger.withdraw(start, end);
      ledger.skip(rule, start, end, title);
    }
  }
  return documents;
}

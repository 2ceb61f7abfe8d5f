import type { SourceBlock } from "@katari/core";
import { firstWords } from "../first-words.ts";
import { foldPath } from "./paths.ts";
import type { PageBody } from "./read-body.ts";
import type { TocEntry } from "./navigation.ts";

/** One page of the spine, read. */
export interface Page {
  readonly path: string;
  readonly body: PageBody;
  readonly linear: boolean;
  /** Text of the page's `title` element. */
  readonly headTitle: string;
  readonly language: string | undefined;
}

/** A run of blocks `[from, to)` of one page. */
interface Stretch {
  readonly page: Page;
  readonly from: number;
  readonly to: number;
}

/** A part of the book between two divisions. `title` is the one of the table of contents. */
export interface Part {
  readonly title: string | undefined;
  readonly fragment: string | undefined;
  readonly listed: boolean;
  readonly stretches: Stretch[];
}

interface Division {
  readonly title: string;
  readonly path: string;
  readonly fragment: string | undefined;
}

const container =
  /^(?:the\s+)?(?:part|book|volume|section|act|teil|buch|band|partie|livre|tome|parte|libro)\b|^第.{1,4}[部巻編篇]|^[上中下]巻/iu;

/**
 * The entries that divide the book. Entries below another one divide only where they lead to another file, or where the
 * one above is a mere container (`Part One`, or an entry without a link): sections of one chapter stay in it.
 */
function divisionsOf(entries: readonly TocEntry[], above?: TocEntry): Division[] {
  return entries.flatMap((entry) => {
    const divides =
      !above || !above.link || !entry.link || entry.link.path !== above.link.path || container.test(above.title);
    const own =
      entry.link && divides ? [{ title: entry.title, path: entry.link.path, fragment: entry.link.fragment }] : [];
    return [...own, ...divisionsOf(entry.children, entry)];
  });
}

/**
 * Divides the pages at the entries of the table of contents, in the order of the spine. Pages that no entry names
 * belong to the part before them, unless a heading of the first two levels starts them; without a table of contents
 * every page is a part.
 */
export function divideParts(pages: readonly Page[], toc: readonly TocEntry[]): Part[] {
  const byPage = new Map<string, Division[]>();
  const exact = new Set(pages.map(({ path }) => path));
  const alike = new Map(pages.map(({ path }) => [foldPath(path), path]));
  for (const division of divisionsOf(toc)) {
    const path = exact.has(division.path) ? division.path : (alike.get(foldPath(division.path)) ?? division.path);
    const list = byPage.get(path);
    if (list) list.push(division);
    else byPage.set(path, [division]);
  }
  const useToc = pages.some(({ path }) => byPage.has(path));
  const parts: Part[] = [];
  for (const page of pages) {
    const { blocks, idBlocks } = page.body;
    const cuts = new Map<number, Division>();
    for (const division of byPage.get(page.path) ?? []) {
      // Several entries for one place: the last, lowest one is the most exact.
      const at = division.fragment === undefined ? 0 : (idBlocks.get(division.fragment) ?? 0);
      if (at < blocks.length || at === 0) cuts.set(at, division);
    }
    const places = [...cuts].sort(([a], [b]) => a - b);
    const leadEnd = places[0]?.[0] ?? blocks.length;
    if (leadEnd > 0 || places.length === 0) addLead(parts, { page, from: 0, to: leadEnd }, useToc);
    for (const [index, [from, division]] of places.entries()) {
      const stretch = { page, from, to: places[index + 1]?.[0] ?? blocks.length };
      parts.push({
        title: division.title || undefined,
        fragment: division.fragment,
        listed: true,
        stretches: [stretch],
      });
    }
  }
  return parts;
}

function addLead(parts: Part[], stretch: Stretch, useToc: boolean): void {
  const last = parts[parts.length - 1];
  const first = stretch.page.body.blocks.slice(stretch.from, stretch.to).find(({ kind }) => kind !== "scene-break");
  const starts = first?.kind === "heading" && (first.level ?? 1) <= 2;
  const continues = useToc && last?.listed === true && !starts && stretch.page.linear;
  if (continues) last.stretches.push(stretch);
  else parts.push({ title: undefined, fragment: undefined, listed: false, stretches: [stretch] });
}

export function blocksOf(part: Part): SourceBlock[] {
  return part.stretches.flatMap(({ page, from, to }) => page.body.blocks.slice(from, to));
}

/** The title of a part: of the table of contents, of its own headings, of the page, else its first words. */
export function titleOf(part: Part, bookTitle: string): string {
  if (part.title !== undefined) return part.title;
  const blocks = blocksOf(part).filter(({ kind }) => kind !== "scene-break");
  const headings = headingTitle(blocks);
  if (headings !== undefined) return headings;
  const head = part.stretches[0]?.page.headTitle ?? "";
  if (head !== "" && head !== bookTitle) return head;
  return firstWords(blocks[0]?.text ?? "");
}

/** Headings that stand together at the start are one title in two lines. */
export function headingTitle(blocks: readonly SourceBlock[]): string | undefined {
  const end = blocks.findIndex(({ kind }) => kind !== "heading");
  const lines = blocks.slice(0, end === -1 ? 2 : Math.min(end, 2)).map(({ text }) => text.replace(/\s+/gu, " "));
  if (lines.length === 0) return undefined;
  return lines.reduce((title, line) => (/[\p{P}]$/u.test(title) ? `${title} ${line}` : `${title}: ${line}`));
}

import { countCharacters, type BlockKind, type SourceBlock } from "@katari/core";
import { createBlockBuilder, finishBlock, type BlockBuilder, type BlockHead, type OpenSpan } from "../block-builder.ts";
import { decodeEntity } from "../decode-entity.ts";
import { createFileLedger, type FileLedger } from "../file-ledger.ts";
import { findElements, foldedTextOf, textOf, tokensOf, type MarkupElement, type MarkupNode } from "../markup-tree.ts";
import { isReading } from "../ruby-reading.ts";
import { elementRule, semanticsOf } from "./element-rules.ts";
import { dropLinkLists, type LinkRange } from "./link-lists.ts";
import { pairRuby } from "./read-ruby.ts";

/** A page of a book as blocks, with the place of every element id among them. */
export interface PageBody {
  readonly ledger: FileLedger;
  readonly blocks: readonly SourceBlock[];
  /** Element id → index of the first block at or after the element (the number of blocks when there is none). */
  readonly idBlocks: ReadonlyMap<string, number>;
  /** Share of the text that stands in links into the book, 0–1: a page of links is a table of contents. */
  readonly linkShare: number;
  readonly links: number;
}

interface Context {
  readonly kind: BlockKind;
  readonly level?: number | undefined;
  readonly language: string | undefined;
  readonly verse: boolean;
  readonly listDepth: number;
  readonly preserve: boolean;
  /** Number of the ordered list's item that is open, until a block has taken it. */
  readonly marker: { value: string | undefined } | undefined;
  readonly code: boolean;
}

const blockNames = new Set(
  (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer " +
    "form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);
const emphasisNames = new Set(["em", "i", "cite", "dfn", "var"]);
const strongNames = new Set(["strong", "b"]);
const codeNames = new Set(["code", "kbd", "samp", "tt"]);
const doubleEscaped = /&(?:apos|quot|amp|lt|gt|nbsp|hellip|[mn]dash|[lr][sd]quo|shy|#\d{1,6}|#x[\da-f]{1,6});/giu;

/**
 * Reads the body of a page. `language` is the book's: blocks name theirs only where it differs.
 * Offsets of ranges count UTF-16 units of all text inside the body, as it stands and in document order.
 */
export function readBody(path: string, body: MarkupElement, language: string | undefined): PageBody {
  const text = textOf(body);
  const ledger = createFileLedger(path, text);
  const blocks: SourceBlock[] = [];
  const idBlocks = new Map<string, number>();
  let at = 0;
  let builder: BlockBuilder | undefined;
  let elementId: string | undefined;
  let lastBreak: { builder: BlockBuilder; length: number } | undefined;
  let rubySpan: OpenSpan | undefined;
  const links: LinkRange[] = [];

  const flush = (): void => {
    const block = builder && finishBlock(ledger, builder);
    builder = undefined;
    if (block) blocks.push(block);
  };
  const opened = (context: Context): BlockBuilder => {
    if (builder) return builder;
    const head: BlockHead = {
      kind: context.kind,
      level: context.level,
      marker: context.marker?.value,
      language: context.language === language ? undefined : context.language,
      elementId,
    };
    if (context.marker) context.marker.value = undefined;
    builder = createBlockBuilder(ledger, head);
    return builder;
  };
  const noteId = (element: MarkupElement): void => {
    const id = element.attributes.get("id") ?? (element.name === "a" ? element.attributes.get("name") : undefined);
    if (id !== undefined && !idBlocks.has(id)) idBlocks.set(id, blocks.length);
  };
  const noteIds = (element: MarkupElement): void => {
    noteId(element);
    for (const child of element.children) if (child.kind === "element") noteIds(child);
  };
  const skip = (element: MarkupElement, rule: string): void => {
    noteIds(element);
    const length = textOf(element).length;
    ledger.skip(rule, at, at + length, blockNames.has(element.name) ? titleIn(element) : undefined);
    at += length;
  };
  const addText = (value: string, context: Context): void => {
    if (!builder && value.trim() === "") {
      at += value.length;
      return;
    }
    const target = opened(context);
    const lines = context.preserve ? value.split(/(\n)/u) : [value];
    for (const line of lines) {
      if (line === "\n" && context.preserve) target.breakLine(true);
      else addDecoding(target, line, at, context.code);
      at += line.length;
    }
  };
  const walkRuby = (ruby: MarkupElement, context: Context): void => {
    const pairs = pairRuby(ruby);
    const target = opened(context);
    for (const child of ruby.children) {
      const rule = child.kind === "element" && ["rt", "rp", "rtc"].includes(child.name);
      const pair = pairs.find(({ base }) => base.includes(child));
      if (rule) {
        const length = textOf(child).length;
        const reading = child.name === "rp" || isReading(textOf(child));
        ledger.skip(reading ? "ruby-reading" : "ruby-gloss", at, at + length);
        at += length;
        continue;
      }
      const spoken = pair && isReading(pair.reading) && pair.base[0] === child;
      if (spoken) rubySpan = target.openSpan("ruby", pair.reading.replace(/\s+/gu, ""));
      walk(child, context);
      if (rubySpan && pair && pair.base[pair.base.length - 1] === child) {
        target.closeSpan(rubySpan);
        rubySpan = undefined;
      }
    }
  };
  const walkInline = (element: MarkupElement, context: Context): void => {
    if (element.name === "ruby") {
      walkRuby(element, context);
      return;
    }
    const inner = { ...context, code: context.code || codeNames.has(element.name) };
    const own = languageOf(element);
    const spans: OpenSpan[] = [];
    if (own !== undefined && own !== context.language) spans.push(opened(context).openSpan("language", own));
    if (emphasisNames.has(element.name)) spans.push(opened(context).openSpan("emphasis"));
    if (strongNames.has(element.name)) spans.push(opened(context).openSpan("strong"));
    if (codeNames.has(element.name)) spans.push(opened(context).openSpan("code"));
    const owner = builder;
    const start = at;
    walkChildren(element, inner);
    if (element.name === "a" && isInternal(element.attributes.get("href"))) links.push({ start, end: at });
    // A block inside an inline element has ended the spans' block already.
    if (owner && owner === builder) for (const span of spans.reverse()) owner.closeSpan(span);
  };
  const walkBlock = (element: MarkupElement, context: Context): void => {
    flush();
    noteId(element);
    const outerId = elementId;
    elementId = element.attributes.get("id") ?? outerId;
    const inner = contextOf(element, context);
    if (element.name === "ol") walkNumbered(element, inner);
    else if (element.name !== "tr") walkChildren(element, inner);
    else if (isPlainRow(element)) walkRow(element, inner);
    else for (const child of element.children) walk(child, context);
    flush();
    elementId = outerId;
  };
  const walkChildren = (element: MarkupElement, context: Context): void => {
    for (const [index, child] of element.children.entries()) {
      if (context.kind === "heading" && partsTitle(element.children[index - 1], child)) builder?.breakLine(false);
      walk(child, context);
    }
  };
  const walkNumbered = (list: MarkupElement, context: Context): void => {
    let number = wholeNumber(list.attributes.get("start")) ?? 1;
    for (const child of list.children) {
      if (child.kind === "text" || child.name !== "li") {
        walk(child, context);
        continue;
      }
      number = wholeNumber(child.attributes.get("value")) ?? number;
      walk(child, { ...context, marker: { value: String(number) } });
      number++;
    }
  };
  /** Two breaks with nothing between them end a paragraph, one breaks a line of verse. */
  const breakLine = (context: Context): void => {
    if (!builder) return;
    if (lastBreak?.builder === builder && lastBreak.length === builder.length() && builder.length() > 0) {
      flush();
      return;
    }
    lastBreak = { builder, length: builder.length() };
    builder.breakLine(context.verse || context.preserve);
  };
  const walkRow = (row: MarkupElement, context: Context): void => {
    for (const cell of row.children) {
      if (cell.kind === "text") {
        addText(cell.text, context);
        continue;
      }
      builder?.breakLine(true);
      const rule = elementRule(cell);
      if (rule !== undefined) skip(cell, rule);
      else for (const child of cell.children) walkFlat(child, context);
    }
  };
  /** Block elements inside a table's cell only part words. */
  const walkFlat = (node: MarkupNode, context: Context): void => {
    if (node.kind === "text" || !blockNames.has(node.name) || elementRule(node) !== undefined) walk(node, context);
    else {
      builder?.breakLine(false);
      for (const child of node.children) walkFlat(child, context);
      builder?.breakLine(false);
    }
  };
  const walk = (node: MarkupNode, context: Context): void => {
    if (node.kind === "text") {
      addText(node.text, context);
      return;
    }
    const rule = elementRule(node) ?? (isCodeBlock(node) ? "code-block" : undefined);
    if (rule !== undefined) {
      if (blockNames.has(node.name)) flush();
      skip(node, rule);
      return;
    }
    if (node.name === "hr") {
      flush();
      noteId(node);
      blocks.push(sceneBreak(path, at, node.attributes.get("id") ?? elementId));
      for (const child of node.children) walk(child, context);
    } else if (node.name === "br") {
      noteId(node);
      breakLine(context);
      for (const child of node.children) walk(child, context);
    } else if (blockNames.has(node.name)) walkBlock(node, context);
    else {
      noteId(node);
      walkInline(node, context);
    }
  };

  const root: Context = {
    kind: "paragraph",
    language: languageOf(body) ?? language,
    verse: false,
    listDepth: 0,
    preserve: false,
    marker: undefined,
    code: false,
  };
  walk(body, root);
  flush();
  const linked = links.reduce((sum, { start, end }) => sum + countCharacters(text.slice(start, end)), 0);
  const linkShare = linked / Math.max(1, countCharacters(text));
  return { ledger, linkShare, links: links.length, ...dropLinkLists(ledger, { blocks, idBlocks }, links) };
}

function isInternal(href: string | undefined): boolean {
  return href !== undefined && !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/iu.test(href.trim());
}

function sceneBreak(path: string, at: number, elementId: string | undefined): SourceBlock {
  const anchor = { file: path, ...(elementId === undefined ? {} : { elementId }) };
  return { kind: "scene-break", text: "", spans: [], range: { file: path, start: at, end: at }, anchor };
}

/** Text escaped twice (`&amp;apos;`) is meant once, except where the page shows code. */
function addDecoding(target: BlockBuilder, text: string, start: number, code: boolean): void {
  let from = 0;
  if (!code && text.includes("&")) {
    for (const match of text.matchAll(doubleEscaped)) {
      const decoded = decodeEntity(match[0]);
      if (decoded === undefined) continue;
      target.add(text.slice(from, match.index), start + from);
      from = match.index + match[0].length;
      target.addDecoded(decoded, start + match.index, start + from, "escaped-twice");
    }
  }
  target.add(text.slice(from), start + from);
}

function contextOf(element: MarkupElement, outer: Context): Context {
  const language = languageOf(element) ?? outer.language;
  const tokens = [...semanticsOf(element), ...tokensOf(element, "class")];
  const verse =
    outer.verse || tokens.some((token) => /^(?:z3998:)?(?:verse|poem|poetry|stanza|song|hymn|lyrics)$/u.test(token));
  const base = { ...outer, language, verse };
  const heading = /^h([1-6])$/u.exec(element.name)?.[1];
  if (heading !== undefined) return { ...base, kind: "heading", level: Number(heading), verse: false };
  switch (element.name) {
    case "ul":
    case "ol":
    case "menu":
    case "dl":
      return { ...base, listDepth: outer.listDepth + 1, marker: undefined };
    case "li":
    case "dt":
    case "dd":
      return { ...base, kind: "list-item", level: Math.max(1, outer.listDepth) };
    case "blockquote":
      return { ...base, kind: verse ? "verse" : "quotation", level: undefined };
    case "figcaption":
    case "caption":
      return { ...base, kind: "caption", level: undefined };
    case "tr":
      return { ...base, kind: "table-row", level: undefined };
    case "pre":
      return { ...base, kind: "verse", level: undefined, preserve: true };
    default:
      return verse && outer.kind !== "heading" ? { ...base, kind: "verse", level: undefined } : base;
  }
}

function languageOf(element: MarkupElement): string | undefined {
  const tag = element.attributes.get("xml:lang") ?? element.attributes.get("lang");
  return tag === undefined || tag.trim() === "" ? undefined : tag.trim();
}

/** A row whose cells hold a line or two each; rows that lay out whole pages are read as what they hold. */
function isPlainRow(row: MarkupElement): boolean {
  const blocksIn = (element: MarkupElement): MarkupElement[] =>
    element.children.flatMap((child) => {
      if (child.kind === "text") return [];
      return blockNames.has(child.name) ? [child, ...blocksIn(child)] : blocksIn(child);
    });
  return row.children.every((cell) => {
    if (cell.kind === "text") return true;
    const inner = blocksIn(cell);
    return inner.length <= 1 && !inner.some(({ name }) => name === "table" || /^h[1-6]$/u.test(name));
  });
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,9}$/u.test(text.trim()) ? Number(text) : undefined;
}

/**
 * Whether two elements of a heading that touch are its number and its title (`<span>II</span><span>The Start</span>`),
 * which style sheets set apart. One capital may as well be a drop cap (`<span>I</span><span>NTRODUCTION</span>`).
 */
function partsTitle(before: MarkupNode | undefined, after: MarkupNode): boolean {
  if (before?.kind !== "element" || after.kind !== "element") return false;
  const number = foldedTextOf(before);
  const title = foldedTextOf(after);
  return (
    (/^(?:(?:chapter|part|book|act|scene|letter)\s+\S+|\d{1,3}|[IVXLC]{2,7})[.:]?$/iu.test(number) &&
      /^\p{Lu}/u.test(title)) ||
    (/^(?:chapter|part|book|act|scene|letter)$/iu.test(number) && /^(?:\d{1,3}|[IVXLC]{1,7})\b/u.test(title))
  );
}

function isCodeBlock(element: MarkupElement): boolean {
  if (element.name !== "pre") return false;
  const first = element.children.find((child) => child.kind === "element" || child.text.trim() !== "");
  return first?.kind === "element" && codeNames.has(first.name);
}

function titleIn(element: MarkupElement): string | undefined {
  for (const name of ["h1", "h2", "h3", "h4"]) {
    const heading = findElements(element, name)[0];
    const title = heading && foldedTextOf(heading);
    if (title !== undefined && title !== "") return title;
  }
  return undefined;
}

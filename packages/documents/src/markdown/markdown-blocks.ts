import { fromMarkdown } from "mdast-util-from-markdown";
import { AppError, assertNever, type BlockKind, type SourceBlock } from "@katari/core";
import { createBlockBuilder, finishBlock, type BlockBuilder, type OpenSpan } from "../block-builder.ts";
import { isReading } from "../ruby-reading.ts";
import type { FileLedger } from "../file-ledger.ts";
import { alignText } from "./align-text.ts";

type Root = ReturnType<typeof fromMarkdown>;
type Flow = Root["children"][number];
type Phrasing = Extract<Flow, { type: "paragraph" }>["children"][number];

interface Place {
  readonly kind: BlockKind;
  readonly level?: number;
  readonly marker?: string | undefined;
}

const delimiterRow = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$|^\s*\|\s*:?-+:?\s*\|\s*$/u;

/**
 * Reads CommonMark from offset `from` of the ledger's text, with the footnotes, tables, strike-through and task marks
 * that are common beside it. What is neither text nor skipped by its own rule is `markup`.
 */
export function readMarkdownBlocks(ledger: FileLedger, from: number): SourceBlock[] {
  const { text } = ledger;
  const blocks: SourceBlock[] = [];
  const taken = new Uint8Array(text.length);
  const offsets = (node: Flow | Phrasing): [number, number] => [
    from + (node.position?.start.offset ?? 0),
    from + (node.position?.end.offset ?? 0),
  ];
  const skip = (rule: string, start: number, end: number): void => {
    ledger.skip(rule, start, end);
    taken.fill(1, start, end);
  };
  const keep = (target: BlockBuilder, start: number, end: number): void => {
    let at = start;
    const plain = (to: number): void => {
      target.add(text.slice(at, to), at);
      taken.fill(1, at, to);
    };
    for (const match of text.slice(start, end).matchAll(/\[\^[^\]\s]+\]|~~/gu)) {
      const place = start + match.index;
      plain(place);
      at = place + match[0].length;
      if (match[0] !== "~~") skip("note-reference", place, at);
    }
    plain(end);
  };
  const addText = (target: BlockBuilder, start: number, end: number, value: string): void => {
    for (const run of alignText(text, start, end, value)) {
      if (run.kind === "same") keep(target, run.start, run.end);
      else {
        target.addDecoded(run.text, run.start, run.end, "markup");
        taken.fill(1, run.start, run.end);
      }
    }
  };
  const finish = (target: BlockBuilder): void => {
    const block = finishBlock(ledger, target);
    if (block) blocks.push(block);
  };
  const leaf = (children: readonly Phrasing[], place: Place): void => {
    const target = createBlockBuilder(ledger, place);
    walkInline(children, target, { ruby: undefined, reading: undefined });
    finish(target);
  };
  const walkInline = (children: readonly Phrasing[], target: BlockBuilder, state: RubyState): void => {
    for (const node of children) {
      const [start, end] = offsets(node);
      if (state.reading !== undefined && node.type !== "html") {
        state.reading += text.slice(start, end);
        skip("ruby-reading", start, end);
        continue;
      }
      switch (node.type) {
        case "text":
          addText(target, start, end, node.value);
          break;
        case "inlineCode": {
          const span = target.openSpan("code");
          addText(target, start, end, node.value);
          target.closeSpan(span);
          break;
        }
        case "emphasis":
        case "strong": {
          const span = target.openSpan(node.type);
          walkInline(node.children, target, state);
          target.closeSpan(span);
          break;
        }
        case "linkReference":
          if (node.identifier.startsWith("^")) skip("note-reference", start, end);
          else walkInline(node.children, target, state);
          break;
        case "link":
        case "delete":
          walkInline(node.children, target, state);
          break;
        case "image":
        case "imageReference":
          skip("image", start, end);
          break;
        case "html":
          skip("html", start, end);
          readTag(node.value, target, state);
          break;
        case "break":
          target.breakLine(true);
          break;
        case "footnoteReference":
          skip("note-reference", start, end);
          break;
        default:
          assertNever(node);
      }
    }
  };
  const table = (start: number, end: number): void => {
    for (const line of linesOf(text, start, end)) {
      const row = text.slice(line.start, line.end);
      if (delimiterRow.test(row)) continue;
      const target = createBlockBuilder(ledger, { kind: "table-row" });
      for (const cell of row.matchAll(/(?:\\.|[^|\\])+/gu)) {
        target.breakLine(true);
        const cellStart = line.start + cell.index;
        const parsed = fromMarkdown(cell[0].trim()).children[0];
        if (parsed?.type !== "paragraph") keep(target, cellStart, cellStart + cell[0].length);
        else {
          const shift = cellStart + (cell[0].length - cell[0].trimStart().length) - from;
          walkInline(shifted(parsed.children, shift), target, { ruby: undefined, reading: undefined });
        }
      }
      finish(target);
    }
  };
  const walk = (node: Flow, place: Place, depth: number): void => {
    const [start, end] = offsets(node);
    const source = text.slice(start, end);
    switch (node.type) {
      case "paragraph": {
        if (/^\[\^[^\]\s]+\]:/u.test(source)) skip("footnote", start, end);
        else if (delimiterRow.test(source.split(/\r?\n/u)[1] ?? "")) table(start, end);
        else leaf(place.kind === "list-item" ? withoutTaskMark(node.children, source) : node.children, place);
        break;
      }
      case "heading":
        leaf(node.children, { kind: "heading", level: node.depth });
        break;
      case "blockquote":
        for (const child of node.children) walk(child, { kind: "quotation" }, depth);
        break;
      case "list":
        for (const [index, item] of node.children.entries()) {
          const marker = node.ordered === true ? String((node.start ?? 1) + index) : undefined;
          for (const [at, child] of item.children.entries()) {
            walk(child, { kind: "list-item", level: depth + 1, marker: at === 0 ? marker : undefined }, depth + 1);
          }
        }
        break;
      case "thematicBreak":
        skip("scene-break", start, end);
        blocks.push({
          kind: "scene-break",
          text: "",
          spans: [],
          range: { file: ledger.path, start, end: start },
          anchor: { file: ledger.path },
        });
        break;
      case "code":
        skip("code-block", start, end);
        break;
      case "html":
        skip("html", start, end);
        break;
      case "definition":
        skip(node.identifier.startsWith("^") ? "footnote" : "link-definition", start, end);
        break;
      case "footnoteDefinition":
        skip("footnote", start, end);
        break;
      case "text":
      case "inlineCode":
      case "emphasis":
      case "strong":
      case "link":
      case "linkReference":
      case "delete":
      case "image":
      case "imageReference":
      case "break":
      case "footnoteReference":
        leaf([node], place);
        break;
      case "yaml":
        skip("front-matter", start, end);
        break;
      case "table":
      case "tableRow":
      case "tableCell":
      case "listItem":
        // Tables come only from an extension that is not used, items only inside lists.
        throw new AppError("internal", `Markdown gave a ${node.type} where none can be.`);
      default:
        assertNever(node);
    }
  };
  for (const node of fromMarkdown(text.slice(from)).children) walk(node, { kind: "paragraph" }, 0);
  skipRest(ledger, taken, from);
  return blocks;
}

interface RubyState {
  ruby: OpenSpan | undefined;
  reading: string | undefined;
}

function readTag(tag: string, target: BlockBuilder, state: RubyState): void {
  const [, close = "", name = ""] = /^<(\/?)([A-Za-z][\w-]*)/u.exec(tag) ?? [];
  switch (`${close}${name.toLowerCase()}`) {
    case "br":
      target.breakLine(true);
      break;
    case "ruby":
      state.ruby = target.openSpan("ruby");
      break;
    case "rt":
    case "rp":
      state.reading = "";
      break;
    case "/rt":
      if (state.ruby) {
        if (isReading(state.reading ?? "")) state.ruby.value = state.reading ?? "";
        else state.ruby.start = undefined;
        target.closeSpan(state.ruby);
        state.ruby = target.openSpan("ruby");
      }
      state.reading = undefined;
      break;
    case "/rp":
      state.reading = undefined;
      break;
    case "/ruby":
      // Base text after the last reading has none.
      if (state.ruby) {
        state.ruby.start = undefined;
        target.closeSpan(state.ruby);
      }
      state.ruby = undefined;
      break;
    default:
  }
}

/** Whatever no rule has taken is the syntax of Markdown itself. */
function skipRest(ledger: FileLedger, taken: Uint8Array, from: number): void {
  let start = from;
  while (start < taken.length) {
    if (taken[start] === 1) {
      start++;
      continue;
    }
    let end = start;
    while (end < taken.length && taken[end] !== 1) end++;
    ledger.skip("markup", start, end);
    start = end;
  }
}

function linesOf(text: string, start: number, end: number): { start: number; end: number }[] {
  const lines: { start: number; end: number }[] = [];
  let at = start;
  for (const line of text.slice(start, end).split("\n")) {
    lines.push({ start: at, end: Math.min(end, at + line.length) });
    at += line.length + 1;
  }
  return lines;
}

/** The same nodes with their offsets moved, for text that was parsed on its own. */
function shifted(nodes: readonly Phrasing[], by: number): Phrasing[] {
  const move = (node: Phrasing): Phrasing => {
    const { position } = node;
    const moved = {
      ...node,
      ...(position
        ? {
            position: {
              start: { ...position.start, offset: (position.start.offset ?? 0) + by },
              end: { ...position.end, offset: (position.end.offset ?? 0) + by },
            },
          }
        : {}),
    };
    return "children" in moved ? { ...moved, children: moved.children.map(move) } : moved;
  };
  return nodes.map(move);
}

/** Drops `[ ]` or `[x]` at the head of a task, so that it counts as markup. */
function withoutTaskMark(children: readonly Phrasing[], source: string): readonly Phrasing[] {
  const [first, ...rest] = children;
  const mark = /^\[[ xX]\]\s/u.exec(source)?.[0];
  if (mark === undefined || first?.type !== "text" || !first.value.startsWith(mark) || !first.position) return children;
  const { position, value } = first;
  const start = { ...position.start, offset: (position.start.offset ?? 0) + mark.length };
  return [{ ...first, value: value.slice(mark.length), position: { ...position, start } }, ...rest];
}

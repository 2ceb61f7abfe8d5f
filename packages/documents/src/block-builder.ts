import type { BlockKind, InlineSpan, InlineSpanKind, SourceBlock } from "@katari/core";
import type { FileLedger } from "./file-ledger.ts";

/** Characters that show nothing and only disturb words: soft hyphen, zero-width space, joiners, direction marks,
 * control characters. */
const invisible = /[\u00AD\u200B\u2060\u200E\u200F\u202A-\u202E\u2066-\u2069\p{Cc}]/u;
/** What parts runs of text: white space and invisible characters. */
const apart = new RegExp(`\\s+|${invisible.source}`, "gu");

/** What a block is, known when it opens. */
export interface BlockHead {
  readonly kind: BlockKind;
  readonly level?: number | undefined;
  readonly marker?: string | undefined;
  readonly language?: string | undefined;
  readonly elementId?: string | undefined;
}

export interface OpenSpan {
  readonly kind: InlineSpanKind;
  /** May be set until the span is closed. */
  value: string | undefined;
  /** Offset into the block's text of the first character, once there is one. */
  start: number | undefined;
}

/** Gathers the text of one block: white space folded, invisible characters left out, spans and source range kept. */
export interface BlockBuilder {
  readonly head: BlockHead;
  /** Adds source text that starts at offset `start` of the ledger's text. */
  add(text: string, start: number): void;
  /** Adds `text` for a longer spelling of it at the source's `[start, end)`, such as a character reference. */
  addDecoded(text: string, start: number, end: number, rule: string): void;
  /** A line break that is kept (verse) or becomes a space. */
  breakLine(kept: boolean): void;
  openSpan(kind: InlineSpanKind, value?: string): OpenSpan;
  closeSpan(span: OpenSpan): void;
  /** Number of UTF-16 units of text so far, white space at the end not counted. */
  length(): number;
  addSpan(span: InlineSpan): void;
  /** The block, or undefined when it holds no text. */
  finish(): SourceBlock | undefined;
}

export function createBlockBuilder(ledger: FileLedger, head: BlockHead): BlockBuilder {
  let text = "";
  let pending = "";
  let first: number | undefined;
  let last = 0;
  const open = new Set<OpenSpan>();
  const spans: InlineSpan[] = [];

  const append = (value: string, start: number, end: number): void => {
    if (text !== "") text += pending;
    pending = "";
    for (const span of open) span.start ??= text.length;
    text += value;
    first ??= start;
    last = end;
  };

  const closeSpan = (span: OpenSpan): void => {
    open.delete(span);
    if (span.start === undefined || span.start >= text.length) return;
    const { kind, value, start } = span;
    spans.push({ kind, start, end: text.length, ...(value === undefined ? {} : { value }) });
  };

  return {
    head,
    add(source, start) {
      let from = 0;
      for (const match of source.matchAll(apart)) {
        if (match.index > from) append(source.slice(from, match.index), start + from, start + match.index);
        from = match.index + match[0].length;
        if (/\s/u.test(match[0])) pending ||= " ";
        else ledger.skip("invisible-character", start + match.index, start + from);
      }
      if (source.length > from) append(source.slice(from), start + from, start + source.length);
    },
    addDecoded(value, start, end, rule) {
      if (/\s/u.test(value) || invisible.test(value)) {
        if (/\s/u.test(value)) pending ||= " ";
        ledger.skip(rule, start, end);
        return;
      }
      const spelled = Math.min(end, start + Array.from(value).length);
      ledger.replace(start, spelled, value);
      ledger.skip(rule, spelled, end);
      append(value, start, end);
    },
    breakLine(kept) {
      if (kept) pending = "\n";
      else pending ||= " ";
    },
    openSpan(kind, value) {
      const span: OpenSpan = { kind, value, start: undefined };
      open.add(span);
      return span;
    },
    closeSpan,
    length: () => text.length,
    addSpan(span) {
      spans.push(span);
    },
    finish() {
      if (first === undefined) return undefined;
      for (const span of open) closeSpan(span);
      const { kind, level, marker, language, elementId } = head;
      return {
        kind,
        ...(level === undefined ? {} : { level }),
        ...(marker === undefined ? {} : { marker }),
        ...(language === undefined ? {} : { language }),
        text,
        spans: [...spans].sort((a, b) => a.start - b.start || b.end - a.end),
        range: { file: ledger.path, start: first, end: last },
        anchor: { file: ledger.path, ...(elementId === undefined ? {} : { elementId }) },
      };
    },
  };
}

const ornament = /^(?:(?:[*＊]\s*)+|(?:[⁂☆★◇◆○●□■※§❦❧☙~～・·•–—―=_#-]\s*){3,}|[⁂❦❧☙]|#)$/u;

/** The block that a builder holds; a paragraph that is only an ornament (`* * *`, `⁂`, `———`) is a scene break. */
export function finishBlock(ledger: FileLedger, builder: BlockBuilder): SourceBlock | undefined {
  const block = builder.finish();
  // A row of a table may have cells of mere signs; there it is no ornament, and its text has gaps at the cells' borders.
  if (!block || block.kind === "heading" || block.kind === "table-row" || !ornament.test(block.text)) return block;
  const { start, end } = block.range;
  ledger.withdraw(start, end);
  ledger.skip("scene-break", start, end);
  return { ...block, kind: "scene-break", text: "", spans: [], range: { ...block.range, end: start } };
}

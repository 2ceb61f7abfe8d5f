/**
 * What every reader of source files returns: one tree of documents, with a range of the source behind every block
 * and a named reason for every character that is not going to be voiced.
 */

/** A range of the text of one file of the source. Offsets are UTF-16 units into that file's text, end exclusive. */
export interface SourceRange {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** Where a block stands in the source, for read-along output: the file and, where there is one, an element id. */
export interface SourceAnchor {
  readonly file: string;
  readonly elementId?: string;
}

export const blockKinds = [
  "paragraph",
  "heading",
  "list-item",
  "quotation",
  "verse",
  "caption",
  "scene-break",
  "table-row",
] as const;
export type BlockKind = (typeof blockKinds)[number];

export const inlineSpanKinds = ["language", "emphasis", "strong", "ruby", "speaker", "say-as", "code"] as const;
export type InlineSpanKind = (typeof inlineSpanKinds)[number];

/** A range of a block's text with a property. `value` holds the language tag, the ruby reading, the speaker … */
export interface InlineSpan {
  readonly kind: InlineSpanKind;
  readonly start: number;
  readonly end: number;
  readonly value?: string;
}

/** One paragraph, heading, list item … as it will be spoken. */
export interface SourceBlock {
  readonly kind: BlockKind;
  /** Level of a heading (1–6) or depth of a list. */
  readonly level?: number;
  /** Number that a reader sees before an item of an ordered list; no text of the source, so not in `text`. */
  readonly marker?: string;
  /** BCP 47 tag, where the source says one that differs from its document. */
  readonly language?: string;
  /** Display text with white space folded to single spaces; line breaks of verse are `\n`. Empty for a scene break. */
  readonly text: string;
  readonly spans: readonly InlineSpan[];
  readonly range: SourceRange;
  readonly anchor: SourceAnchor;
}

/** A chapter in reading order. */
export interface SourceDocument {
  readonly title: string;
  readonly language?: string;
  readonly anchor: SourceAnchor;
  readonly blocks: readonly SourceBlock[];
}

/** Text that will not be voiced, with the rule that says so. */
export interface SkippedText {
  /** Name of the rule, such as `titlepage`, `endnotes`, `note-reference`, `hidden`. */
  readonly rule: string;
  /** Title of the part that was left out, where a whole part was. */
  readonly title?: string;
  readonly range: SourceRange;
  /** Characters as `countCharacters` counts them. */
  readonly characters: number;
}

/** One file of the source that carries text, with its whole number of characters. */
export interface SourceFile {
  readonly path: string;
  readonly characters: number;
}

export interface CoverImage {
  readonly mediaType: "image/jpeg" | "image/png";
  readonly bytes: Uint8Array;
}

export interface SourceMetadata {
  readonly title: string;
  readonly authors: readonly string[];
  /** BCP 47 tag as the source declares it, or as detected; `und` when neither is known. */
  readonly language: string;
  readonly identifier?: string;
  readonly publisher?: string;
  readonly published?: string;
  readonly description?: string;
  readonly rights?: string;
}

/**
 * A source, read. Characters of `files` = characters of all blocks + characters of all `skipped`: a reader that
 * breaks this has lost text, and the import fails.
 */
export interface SourceTree {
  readonly format: "epub" | "markdown" | "text";
  readonly metadata: SourceMetadata;
  readonly cover?: CoverImage;
  readonly documents: readonly SourceDocument[];
  readonly skipped: readonly SkippedText[];
  readonly files: readonly SourceFile[];
  /** Text encoding of a plain source, as detected. */
  readonly encoding?: string;
}

/** Number of Unicode code points that are not white space: the unit of every completeness figure. */
export function countCharacters(text: string): number {
  const dense = text.replace(/\s+/gu, "");
  const pairs = dense.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0;
  return dense.length - pairs;
}

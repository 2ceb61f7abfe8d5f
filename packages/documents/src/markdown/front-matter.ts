import type { SourceMetadata } from "@katari/core";

export interface FrontMatter {
  /** UTF-16 units that the block takes at the start of the file, its fences included. */
  readonly length: number;
  readonly fields: Partial<Omit<SourceMetadata, "authors">> & { readonly authors?: readonly string[] };
}

const keys = new Map<string, Exclude<keyof SourceMetadata, "authors">>([
  ["title", "title"],
  ["language", "language"],
  ["lang", "language"],
  ["identifier", "identifier"],
  ["isbn", "identifier"],
  ["publisher", "publisher"],
  ["date", "published"],
  ["published", "published"],
  ["description", "description"],
  ["rights", "rights"],
  ["license", "rights"],
  ["licence", "rights"],
]);

/**
 * Reads the YAML block at the head of a Markdown file as far as books need it: `key: value`, quoted values, lists in
 * brackets or as dashes. Other YAML in it is passed over; the block is never voiced.
 */
export function readFrontMatter(text: string): FrontMatter | undefined {
  const block = /^---[ \t]*\r?\n([^]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/u.exec(text);
  const body = block?.[1];
  if (!block || body === undefined || !/^[A-Za-z][\w-]*[ \t]*:/mu.test(body)) return undefined;
  const fields: Partial<Record<Exclude<keyof SourceMetadata, "authors">, string>> = {};
  const authors: string[] = [];
  let listKey = "";
  for (const line of body.split(/\r?\n/u)) {
    const item = /^\s*-\s+(.+)$/u.exec(line)?.[1];
    if (item !== undefined) {
      if (isAuthor(listKey)) authors.push(...values(item));
      continue;
    }
    const [, key = "", value = ""] = /^([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)$/u.exec(line) ?? [];
    if (key === "") continue;
    listKey = key.toLowerCase();
    const [first, ...rest] = values(value);
    if (first === undefined) continue;
    if (isAuthor(listKey)) authors.push(first, ...rest);
    const known = keys.get(listKey);
    if (known !== undefined) fields[known] = first;
  }
  return { length: block[0].length, fields: { ...fields, ...(authors.length > 0 ? { authors } : {}) } };
}

function isAuthor(key: string): boolean {
  return key === "author" || key === "authors" || key === "creator";
}

function values(text: string): string[] {
  const trimmed = text.trim();
  const list = /^\[(.*)\]$/u.exec(trimmed)?.[1];
  const parts = list === undefined ? [trimmed] : list.split(",");
  return parts.map((part) => unquote(part.trim())).filter((part) => part !== "" && part !== "|" && part !== ">");
}

function unquote(text: string): string {
  const quoted = /^(["'])(.*)\1$/u.exec(text);
  if (!quoted) return text.replace(/\s+#.*$/u, "");
  const inner = quoted[2] ?? "";
  return quoted[1] === "'" ? inner.replaceAll("''", "'") : inner.replace(/\\(["\\])/gu, "$1");
}

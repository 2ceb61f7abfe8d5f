import { SaxesParser, type SaxesTagPlain } from "saxes";
import { AppError } from "@katari/core";
import { decodeEntity } from "./decode-entity.ts";
import { maxDepth, type MarkupElement, type MarkupNode } from "./markup-tree.ts";

interface OpenElement {
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly children: MarkupNode[];
}

/**
 * Parses well-formed XML. Nothing outside the text is ever read: document type declarations are passed over, HTML's
 * named characters are known, any other entity is an error.
 * @throws AppError `damaged-source` when it is not well-formed, with the parser's words as cause, or nested too deeply
 */
export function parseXml(text: string, path: string): MarkupElement {
  const parser = new SaxesParser({ xmlns: false, fragment: false });
  for (const match of text.matchAll(/&([A-Za-z][A-Za-z0-9]*);/gu)) {
    const name = match[1];
    if (name === undefined || name in parser.ENTITIES) continue;
    const decoded = decodeEntity(`&${name};`);
    if (decoded !== undefined) parser.ENTITIES[name] = decoded;
  }
  // Entities that the page itself defines as plain text; those of other files are never read.
  const subset = /<!DOCTYPE[^[>]*\[([^\]]{0,20000})\]\s*>/iu.exec(text.slice(0, 40_000))?.[1] ?? "";
  for (const [, name = "", , value = ""] of subset.matchAll(/<!ENTITY\s+([A-Za-z][\w.-]*)\s+(["'])([^"'&<%]*)\2\s*>/gu))
    parser.ENTITIES[name] ??= value;
  const root: OpenElement = { name: "#root", attributes: new Map(), children: [] };
  const open: OpenElement[] = [root];
  const top = (): OpenElement => open[open.length - 1] ?? root;
  const addText = (value: string): void => {
    const { children } = top();
    const last = children[children.length - 1];
    if (last?.kind === "text") children[children.length - 1] = { kind: "text", text: last.text + value };
    else children.push({ kind: "text", text: value });
  };
  parser.on("error", (error) => {
    throw new AppError("damaged-source", `${path} is not well-formed.`, {
      cure: "Get the file again from where it came from, or repair it with an EPUB editor.",
      cause: error,
    });
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("opentag", (tag: SaxesTagPlain) => {
    if (open.length > maxDepth) throw tooDeep(path);
    const attributes = new Map(Object.entries(tag.attributes).map(([name, value]) => [name.toLowerCase(), value]));
    const element: OpenElement = { name: localName(tag.name), attributes, children: [] };
    top().children.push({ kind: "element", ...element });
    open.push(element);
  });
  parser.on("closetag", () => {
    open.pop();
  });
  parser.write(text.replace(/^\uFEFF/u, "")).close();
  const element = root.children.find((child): child is MarkupElement => child.kind === "element");
  if (!element) {
    throw new AppError("damaged-source", `${path} holds no element.`, {
      cure: "Get the file again from where it came from.",
    });
  }
  return element;
}

export function tooDeep(path: string): AppError {
  return new AppError("too-large", `${path} is nested deeper than ${String(maxDepth)} elements.`, {
    cure: "Save the book again with an EPUB editor.",
  });
}

export function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1).toLowerCase();
}

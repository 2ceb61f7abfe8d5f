import { parse, type DefaultTreeAdapterTypes } from "parse5";
import { AppError } from "@katari/core";
import { maxDepth, type MarkupElement, type MarkupNode } from "./markup-tree.ts";
import { localName, parseXml, tooDeep } from "./parse-xml.ts";

const voidElements = "area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr";
const selfClosed = new RegExp(
  `<(?!(?:${voidElements})\\b)([A-Za-z][\\w:.-]*)((?:\\s+[^<>"'=/\\s]+(?:\\s*=\\s*(?:"[^"]*"|'[^']*'|[^\\s"'<>/]+))?)*)\\s*/>`,
  "gu",
);

/**
 * Parses an XHTML or HTML page. Well-formed XHTML is read as XML, since an HTML parser takes `<title/>` or `<a id="x"/>`
 * for an opening tag; anything else by the HTML standard's rules, which lose no text.
 * @throws AppError `too-large` when elements are nested too deeply
 */
export function parsePage(text: string, path: string): MarkupElement {
  try {
    return parseXml(text, path);
  } catch (error) {
    if (error instanceof AppError && error.code === "too-large") throw error;
    return parseHtml(text, path);
  }
}

function parseHtml(text: string, path: string): MarkupElement {
  // An HTML parser takes what a document type declares for text.
  const plain = text.replace(/^\uFEFF/u, "").replace(/(<!DOCTYPE[^[>]*)\[[^\]]{0,20000}\]\s*>/iu, "$1>");
  const document = parse(plain.replace(selfClosed, "<$1$2></$1>"));
  const root = document.childNodes.find((node) => node.nodeName === "html");
  if (!root || !("attrs" in root)) {
    throw new AppError("damaged-source", `${path} is not a page.`, { cure: "Get the file again." });
  }
  return convert(root, path, 0);
}

function convert(element: DefaultTreeAdapterTypes.Element, path: string, depth: number): MarkupElement {
  if (depth > maxDepth) throw tooDeep(path);
  const children: MarkupNode[] = [];
  const nodes =
    "content" in element ? (element as DefaultTreeAdapterTypes.Template).content.childNodes : element.childNodes;
  for (const node of nodes) {
    if (node.nodeName === "#text" && "value" in node) children.push({ kind: "text", text: node.value });
    else if ("attrs" in node) children.push(convert(node, path, depth + 1));
  }
  const attributes = new Map(
    element.attrs.map(({ prefix, name, value }) => [(prefix ? `${prefix}:${name}` : name).toLowerCase(), value]),
  );
  return { kind: "element", name: localName(element.tagName), attributes, children };
}

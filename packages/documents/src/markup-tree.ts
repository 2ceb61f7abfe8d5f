/**
 * The small tree that all XML and HTML of a source becomes, whichever parser read it, so that rules are written once.
 */

interface MarkupText {
  readonly kind: "text";
  readonly text: string;
}

export interface MarkupElement {
  readonly kind: "element";
  /** Local name in lower case, without its prefix. */
  readonly name: string;
  /** By full name as written, in lower case (`epub:type`, `xml:lang`, `href`). */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly MarkupNode[];
}

export type MarkupNode = MarkupText | MarkupElement;

/** Deepest nesting that is read. Real books stay below 40; more is made to exhaust the stack. */
export const maxDepth = 512;

/** First element with that local name, in document order, the given one included. */
export function findElement(root: MarkupElement, name: string): MarkupElement | undefined {
  if (root.name === name) return root;
  for (const child of root.children) {
    if (child.kind === "text") continue;
    const found = findElement(child, name);
    if (found) return found;
  }
  return undefined;
}

/** All elements with that local name, in document order, the given one included. */
export function findElements(root: MarkupElement, name: string): MarkupElement[] {
  const found: MarkupElement[] = [];
  const visit = (element: MarkupElement): void => {
    if (element.name === name) found.push(element);
    for (const child of element.children) if (child.kind === "element") visit(child);
  };
  visit(root);
  return found;
}

export function childElements(element: MarkupElement): MarkupElement[] {
  return element.children.filter((child): child is MarkupElement => child.kind === "element");
}

/** All text inside a node, in document order, as it stands. */
export function textOf(node: MarkupNode): string {
  if (node.kind === "text") return node.text;
  return node.children.map((child) => textOf(child)).join("");
}

/** All text inside a node with white space folded, for titles and metadata. */
export function foldedTextOf(node: MarkupNode): string {
  return textOf(node).replace(/\s+/gu, " ").trim();
}

/** Space-separated tokens of an attribute in lower case. */
export function tokensOf(element: MarkupElement, attribute: string): string[] {
  return (element.attributes.get(attribute) ?? "").toLowerCase().split(/\s+/u).filter(Boolean);
}

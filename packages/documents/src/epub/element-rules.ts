import { foldedTextOf, textOf, tokensOf, type MarkupElement } from "../markup-tree.ts";

/** Parts of a book that are not narrated, by the token of `epub:type` (or `doc-…` role) that marks them. */
const partTypes = new Map([
  ["cover", "cover"],
  ["titlepage", "titlepage"],
  ["halftitlepage", "halftitlepage"],
  ["halftitle", "halftitlepage"],
  ["fulltitle", "titlepage"],
  ["copyright-page", "copyright-page"],
  ["imprint", "imprint"],
  ["imprimatur", "imprint"],
  ["seriespage", "series-page"],
  ["colophon", "colophon"],
  ["toc", "toc"],
  ["toc-brief", "toc"],
  ["landmarks", "toc"],
  ["page-list", "toc"],
  ["loi", "list-of-illustrations"],
  ["lot", "list-of-illustrations"],
  ["loa", "list-of-illustrations"],
  ["lov", "list-of-illustrations"],
  ["index", "index"],
  ["bibliography", "bibliography"],
  ["endnotes", "endnotes"],
  ["rearnotes", "endnotes"],
  ["footnotes", "footnote"],
  ["endnote", "endnotes"],
  ["rearnote", "endnotes"],
  ["footnote", "footnote"],
  ["note", "footnote"],
  ["contributors", "contributors"],
  ["other-credits", "contributors"],
  ["errata", "errata"],
]);

/** Small things inside text that are not voiced. */
const inlineTypes = new Map([
  ["noteref", "note-reference"],
  ["annoref", "note-reference"],
  ["biblioref", "note-reference"],
  ["pagebreak", "page-number"],
  ["backlink", "back-link"],
  ["referrer", "back-link"],
]);

const names = new Map([
  ["script", "script"],
  ["style", "script"],
  ["template", "script"],
  ["noscript", "script"],
  ["svg", "image-text"],
  ["audio", "media-fallback"],
  ["video", "media-fallback"],
  ["object", "media-fallback"],
  ["iframe", "media-fallback"],
  ["canvas", "media-fallback"],
  ["annotation", "hidden"],
  ["annotation-xml", "hidden"],
  ["head", "hidden"],
]);

const classes: readonly [RegExp, string][] = [
  [/^(?:pagenum|pageno|page-?number|page-?break|pagebreak)$/u, "page-number"],
  [/^(?:noteref|footnote-?ref|fnanchor|fn-?ref|endnote-?ref)$/u, "note-reference"],
  [/^(?:footnotes?|endnotes?)$/u, "footnote"],
  [/^pg-?(?:boilerplate|header|footer)$/u, "gutenberg-licence"],
];

const noteMark = /^[[({]?(?:\d{1,4}|[*†‡§¶]{1,3}|[a-z])[\])}]?$/u;

/** Semantic tokens of an element: `epub:type` and the `doc-…` roles without their prefix. */
export function semanticsOf(element: MarkupElement): string[] {
  const roles = tokensOf(element, "role").filter((role) => role.startsWith("doc-"));
  return [...tokensOf(element, "epub:type"), ...roles.map((role) => role.slice("doc-".length))];
}

/** The rule that leaves out a whole part marked with one of these tokens (also those of landmarks and guides). */
export function partRule(tokens: readonly string[]): string | undefined {
  for (const token of tokens) {
    const rule = partTypes.get(token);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/**
 * Name of the rule by which an element with all it holds is not voiced, or undefined when it is voiced.
 * Ruby is not decided here. Style sheets are not evaluated: only what the page itself says hides an element.
 */
export function elementRule(element: MarkupElement): string | undefined {
  const { name, attributes } = element;
  const byName = names.get(name);
  if (byName !== undefined) return byName;
  const tokens = semanticsOf(element);
  for (const token of tokens) {
    const rule = inlineTypes.get(token);
    if (rule !== undefined) return rule;
  }
  const byPart = partRule(tokens);
  if (byPart !== undefined) return byPart;
  if (isHidden(attributes)) return "hidden";
  if (name === "nav") return "toc";
  const id = attributes.get("id")?.toLowerCase();
  if (id === "pg-header" || id === "pg-footer") return "gutenberg-licence";
  for (const token of tokensOf(element, "class")) {
    for (const [pattern, rule] of classes) if (pattern.test(token)) return rule;
  }
  if (name === "a" || name === "sup") return linkRule(element);
  return undefined;
}

function isHidden(attributes: ReadonlyMap<string, string>): boolean {
  if (attributes.has("hidden") || attributes.get("aria-hidden") === "true") return true;
  const style = attributes.get("style") ?? "";
  return /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/iu.test(style);
}

/** A raised link of one mark, or a link in brackets, is a reference to a note; an arrow leads back from one. */
function linkRule(element: MarkupElement): string | undefined {
  const text = foldedTextOf(element);
  if (element.name === "sup") {
    const link = onlyChild(element);
    return link?.name === "a" && link.attributes.has("href") && noteMark.test(text) ? "note-reference" : undefined;
  }
  if (!(element.attributes.get("href") ?? "").includes("#")) return undefined;
  if (/^[↩↵⏎^↑]\uFE0E?$/u.test(text)) return "back-link";
  const raised = onlyChild(element)?.name === "sup";
  const bracketed = /^[[({].*[\])}]$/u.test(text);
  return noteMark.test(text) && (raised || bracketed) ? "note-reference" : undefined;
}

function onlyChild(element: MarkupElement): MarkupElement | undefined {
  let only: MarkupElement | undefined;
  for (const child of element.children) {
    if (child.kind === "text") {
      if (textOf(child).trim() !== "") return undefined;
    } else if (only) return undefined;
    else only = child;
  }
  return only;
}

import {
  childElements,
  findElement,
  findElements,
  foldedTextOf,
  tokensOf,
  type MarkupElement,
} from "../markup-tree.ts";
import { semanticsOf } from "./element-rules.ts";
import { resolveLink, type BookLink } from "./paths.ts";

/** One entry of a table of contents, in its order; `children` are the entries below it. */
export interface TocEntry {
  readonly title: string;
  readonly link: BookLink | undefined;
  readonly children: readonly TocEntry[];
}

export interface Navigation {
  readonly toc: readonly TocEntry[];
  /** What pages are: semantic tokens and where they are. */
  readonly landmarks: readonly { readonly types: readonly string[]; readonly link: BookLink }[];
}

/** Reads an EPUB 3 navigation document. */
export function readNavigation(path: string, page: MarkupElement): Navigation {
  const navs = findElements(page, "nav");
  const toc = navs.find((nav) => semanticsOf(nav).includes("toc")) ?? navs.find((nav) => semanticsOf(nav).length === 0);
  const landmarks = navs.find((nav) => semanticsOf(nav).includes("landmarks"));
  const list = toc && findElement(toc, "ol");
  return {
    toc: list ? listEntries(path, list) : [],
    landmarks: (landmarks ? findElements(landmarks, "a") : []).flatMap((link) => {
      const target = resolveLink(path, link.attributes.get("href") ?? "");
      return target ? [{ types: tokensOf(link, "epub:type"), link: target }] : [];
    }),
  };
}

function listEntries(path: string, list: MarkupElement): TocEntry[] {
  return childElements(list)
    .filter(({ name }) => name === "li")
    .map((item) => {
      const label = childElements(item).find(({ name }) => name !== "ol");
      const link = label && (label.name === "a" ? label : findElement(label, "a"));
      const href = link?.attributes.get("href");
      const below = childElements(item).find(({ name }) => name === "ol");
      return {
        title: label ? foldedTextOf(label) : "",
        link: href === undefined ? undefined : resolveLink(path, href),
        children: below ? listEntries(path, below) : [],
      };
    });
}

/** Reads the table of contents of an EPUB 2 (NCX, DAISY 3). */
export function readNcx(path: string, ncx: MarkupElement): TocEntry[] {
  const map = findElement(ncx, "navmap");
  return map ? ncxEntries(path, map) : [];
}

function ncxEntries(path: string, parent: MarkupElement): TocEntry[] {
  return childElements(parent)
    .filter(({ name }) => name === "navpoint")
    .map((point) => {
      const label = childElements(point).find(({ name }) => name === "navlabel");
      const content = childElements(point).find(({ name }) => name === "content");
      const source = content?.attributes.get("src");
      return {
        title: label ? foldedTextOf(label) : "",
        link: source === undefined ? undefined : resolveLink(path, source),
        children: ncxEntries(path, point),
      };
    });
}

import { AppError, type SourceMetadata } from "@katari/core";
import {
  childElements,
  findElement,
  findElements,
  foldedTextOf,
  tokensOf,
  type MarkupElement,
} from "../markup-tree.ts";
import { parsePage } from "../parse-html.ts";
import { parseXml } from "../parse-xml.ts";
import { resolveLink, type BookLink } from "./paths.ts";

interface ManifestItem {
  readonly id: string;
  readonly path: string;
  readonly mediaType: string;
  readonly properties: readonly string[];
  readonly fallback: string | undefined;
}

interface SpineItem {
  readonly item: ManifestItem;
  readonly linear: boolean;
}

/** What the package document (OPF) of a book says. */
export interface PackageDocument {
  readonly path: string;
  readonly metadata: SourceMetadata;
  readonly manifest: ReadonlyMap<string, ManifestItem>;
  readonly spine: readonly SpineItem[];
  readonly navigation: ManifestItem | undefined;
  readonly ncx: ManifestItem | undefined;
  readonly cover: ManifestItem | undefined;
  /** EPUB 2 guide: type and where it points. */
  readonly guide: readonly { readonly type: string; readonly link: BookLink }[];
}

const cure = "Get the book again, or save it again with an EPUB editor.";

/**
 * Path of the package document that `META-INF/container.xml` names.
 * @throws AppError `damaged-source`
 */
export function readContainer(xml: string): string {
  const container = parseXml(xml, "META-INF/container.xml");
  const rootfiles = findElements(container, "rootfile");
  const rootfile =
    rootfiles.find((file) => file.attributes.get("media-type") === "application/oebps-package+xml") ?? rootfiles[0];
  const path = resolveLink("", rootfile?.attributes.get("full-path") ?? "")?.path;
  if (path === undefined || path === "") {
    throw new AppError("damaged-source", "The EPUB does not say where its package document is.", { cure });
  }
  return path;
}

/**
 * Reads a package document.
 * @throws AppError `damaged-source` when it is not well-formed or has no spine
 */
export function readPackage(path: string, xml: string): PackageDocument {
  const root = parseXml(xml, path);
  const manifest = new Map<string, ManifestItem>();
  for (const element of findElements(root, "item")) {
    const id = element.attributes.get("id");
    const link = resolveLink(path, element.attributes.get("href") ?? "");
    if (id === undefined || !link) continue;
    manifest.set(id, {
      id,
      path: link.path,
      mediaType: (element.attributes.get("media-type") ?? "").toLowerCase(),
      properties: tokensOf(element, "properties"),
      fallback: element.attributes.get("fallback"),
    });
  }
  const spineElement = findElement(root, "spine");
  const spine: SpineItem[] = [];
  const seen = new Set<string>();
  for (const reference of spineElement ? findElements(spineElement, "itemref") : []) {
    const item = pageOf(manifest, reference.attributes.get("idref") ?? "");
    if (!item || seen.has(item.path)) continue;
    seen.add(item.path);
    spine.push({ item, linear: reference.attributes.get("linear")?.toLowerCase() !== "no" });
  }
  if (spine.length === 0) {
    throw new AppError("damaged-source", "The EPUB has no reading order: its spine names no page.", { cure });
  }
  const items = [...manifest.values()];
  return {
    path,
    metadata: readMetadata(root),
    manifest,
    spine,
    navigation: items.find(({ properties }) => properties.includes("nav")),
    ncx:
      manifest.get(spineElement?.attributes.get("toc") ?? "") ??
      items.find(({ mediaType }) => mediaType === "application/x-dtbncx+xml"),
    cover: coverItem(root, manifest),
    guide: findElements(root, "reference").flatMap((element) => {
      const link = resolveLink(path, element.attributes.get("href") ?? "");
      return link ? [{ type: (element.attributes.get("type") ?? "").toLowerCase(), link }] : [];
    }),
  };
}

/** The item, or the page that its fallback chain ends in. */
function pageOf(manifest: ReadonlyMap<string, ManifestItem>, id: string): ManifestItem | undefined {
  let item = manifest.get(id);
  for (let step = 0; item && step < 8; step++) {
    if (/html|xml|x-dtbook/u.test(item.mediaType) || item.fallback === undefined) return item;
    item = manifest.get(item.fallback);
  }
  return item;
}

function coverItem(root: MarkupElement, manifest: ReadonlyMap<string, ManifestItem>): ManifestItem | undefined {
  const marked = [...manifest.values()].find(({ properties }) => properties.includes("cover-image"));
  if (marked) return marked;
  const meta = findElements(root, "meta").find((element) => element.attributes.get("name") === "cover");
  const named = meta?.attributes.get("content") ?? "";
  return manifest.get(named) ?? [...manifest.values()].find(({ path }) => named !== "" && path.endsWith(`/${named}`));
}

function readMetadata(root: MarkupElement): SourceMetadata {
  const element = findElement(root, "metadata");
  const fields = element ? allFields(element) : [];
  const texts = (name: string): string[] =>
    fields
      .filter((field) => field.name === name)
      .map((field) => foldedTextOf(field))
      .filter((text) => text !== "");
  const refined = (id: string | undefined, property: string): string[] =>
    id === undefined
      ? []
      : fields
          .filter((f) => f.attributes.get("property") === property && f.attributes.get("refines") === `#${id}`)
          .map((f) => foldedTextOf(f));
  const titles = fields.filter((field) => field.name === "title" && foldedTextOf(field) !== "");
  const main = titles.find((title) => refined(title.attributes.get("id"), "title-type").includes("main")) ?? titles[0];
  const creators = fields.filter((field) => field.name === "creator" && foldedTextOf(field) !== "");
  const authors = creators.filter((creator) => {
    const roles = refined(creator.attributes.get("id"), "role");
    const role = creator.attributes.get("opf:role") ?? creator.attributes.get("role");
    if (role !== undefined) roles.push(role);
    return roles.length === 0 || roles.includes("aut");
  });
  const unique = root.attributes.get("unique-identifier");
  const identifiers = fields.filter((field) => field.name === "identifier");
  const identifier = identifiers.find((field) => field.attributes.get("id") === unique) ?? identifiers[0];
  const [description] = texts("description");
  return {
    title: main ? foldedTextOf(main) : "",
    authors: [...new Set((authors.length > 0 ? authors : creators).map((creator) => foldedTextOf(creator)))],
    language: texts("language")[0] ?? "und",
    ...optional("identifier", identifier && foldedTextOf(identifier)),
    ...optional("publisher", texts("publisher")[0]),
    ...optional("published", publicationDate(fields)),
    ...optional("description", description && plainText(description)),
    ...optional("rights", texts("rights")[0]),
  };
}

function optional<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined || value === "" ? {} : ({ [key]: value } as { [K in Key]?: string });
}

/** Fields stand directly in `metadata`, or in the `dc-metadata` and `x-metadata` of the oldest books. */
function allFields(metadata: MarkupElement): MarkupElement[] {
  return childElements(metadata).flatMap((field) =>
    field.name === "dc-metadata" || field.name === "x-metadata" ? childElements(field) : [field],
  );
}

function publicationDate(fields: readonly MarkupElement[]): string | undefined {
  const dates = fields.filter((field) => field.name === "date" && foldedTextOf(field) !== "");
  const date = dates.find((field) => field.attributes.get("opf:event") === "publication") ?? dates[0];
  return date && foldedTextOf(date);
}

/** Descriptions are often HTML, escaped. */
function plainText(text: string): string {
  return /<[a-z/][^>]*>/iu.test(text)
    ? foldedTextOf(findElement(parsePage(`<body>${text}`, ""), "body") ?? { kind: "text", text })
    : text;
}

import { AppError, type SkippedText, type SourceBlock, type SourceDocument, type SourceTree } from "@katari/core";
import { decodeMarkup } from "../decode-markup.ts";
import { guessLanguage } from "../guess-language.ts";
import { findElement, foldedTextOf } from "../markup-tree.ts";
import { parsePage } from "../parse-html.ts";
import { parseXml } from "../parse-xml.ts";
import type { Archive } from "./archive.ts";
import { readCover } from "./cover.ts";
import { blocksOf, divideParts, titleOf, type Page, type Part } from "./divide-parts.ts";
import { readNavigation, readNcx, type Navigation, type TocEntry } from "./navigation.ts";
import { readContainer, readPackage, type PackageDocument } from "./package-document.ts";
import { ruleOfPart } from "./part-rules.ts";
import { refuseProtected } from "./protection.ts";
import { readBody } from "./read-body.ts";

const guideTypes = new Map([
  ["title-page", "titlepage"],
  ["notes", "endnotes"],
]);

/**
 * Reads an EPUB 2 or 3: pages in the order of the spine, divided at its table of contents (navigation document, else
 * NCX, else page by page); front and back matter, notes and hidden things left out by named rules.
 * @throws AppError `encrypted-source`, `empty-source`, `damaged-source`, `too-large`, `cancelled`
 */
export async function readEpub(archive: Archive, fileName: string, signal?: AbortSignal): Promise<SourceTree> {
  const text = async (name: string): Promise<string> => decodeMarkup(await archive.read(name));
  const encryption = "META-INF/encryption.xml";
  refuseProtected(archive.names, archive.has(encryption) ? await text(encryption) : undefined);
  if (!archive.has("META-INF/container.xml")) {
    throw new AppError("damaged-source", "The EPUB has no META-INF/container.xml, so its parts cannot be found.", {
      cure: "Get the book again, or save it again with an EPUB editor.",
    });
  }
  const packagePath = readContainer(await text("META-INF/container.xml"));
  const book = readPackage(packagePath, await text(packagePath));
  const pages = await readPages(archive, book, signal);
  if (!pages.some(({ body }) => /\S/u.test(body.ledger.text))) {
    throw new AppError("empty-source", "The book has no text: its pages are only images, or empty.", {
      cure: "Use an edition with text; a scan needs text recognition (OCR) first.",
    });
  }
  const navigation = await readContents(archive, book);
  const title = book.metadata.title || fileName.replace(/\.[^.]*$/u, "");
  const documents = chooseDocuments(divideParts(pages, navigation.toc), pages, book, navigation, title);
  proveAll(pages, documents);
  if (documents.length === 0) {
    throw new AppError("empty-source", "The book has no text to narrate: all it holds is front or back matter.", {
      cure: "Check that it is the whole book.",
    });
  }
  const declared = book.metadata.language;
  const language = declared === "und" ? guessLanguage(documents) : declared;
  const cover = await readCover(archive, book);
  return {
    format: "epub",
    metadata: { ...book.metadata, title, language },
    ...(cover ? { cover } : {}),
    documents,
    skipped: pages.flatMap(({ body }) => named(body.ledger.skipped(), body.ledger.text, navigation.toc)),
    files: pages.map(({ body }) => body.ledger.file()),
  };
}

/** Blocks of a page are in its order in the documents, since parts follow the spine. */
function proveAll(pages: readonly Page[], documents: readonly SourceDocument[]): void {
  const byPath = new Map<string, SourceBlock[]>(pages.map(({ path }) => [path, []]));
  for (const { blocks } of documents) for (const block of blocks) byPath.get(block.range.file)?.push(block);
  for (const { path, body } of pages) body.ledger.prove(byPath.get(path) ?? []);
}

async function readPages(archive: Archive, book: PackageDocument, signal: AbortSignal | undefined): Promise<Page[]> {
  const anyLinear = book.spine.some(({ linear }) => linear);
  const pages: Page[] = [];
  for (const { item, linear } of book.spine) {
    signal?.throwIfAborted();
    if (/^(?:image\/(?!svg)|audio\/|video\/|font\/)/u.test(item.mediaType)) continue;
    const root = parsePage(decodeMarkup(await archive.read(item.path)), item.path);
    const body = findElement(root, "body") ?? root;
    const own = root.attributes.get("xml:lang") ?? root.attributes.get("lang");
    const declared = book.metadata.language === "und" ? undefined : book.metadata.language;
    const language = own?.trim() || declared;
    const head = findElement(root, "head");
    const headTitle = head && findElement(head, "title");
    pages.push({
      path: item.path,
      body: readBody(item.path, body, language),
      linear: linear || !anyLinear,
      headTitle: headTitle ? foldedTextOf(headTitle) : "",
      language,
    });
    // Parsing is long and synchronous: let others run between pages.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return pages;
}

async function readContents(archive: Archive, book: PackageDocument): Promise<Navigation> {
  const at = async (path: string | undefined): Promise<string | undefined> =>
    path !== undefined && archive.has(path) ? decodeMarkup(await archive.read(path)) : undefined;
  const nav = await at(book.navigation?.path);
  const found: Navigation =
    nav === undefined || !book.navigation
      ? { toc: [], landmarks: [] }
      : readNavigation(book.navigation.path, parsePage(nav, book.navigation.path));
  if (found.toc.length > 0) return found;
  const ncx = await at(book.ncx?.path);
  return { ...found, toc: ncx === undefined || !book.ncx ? [] : tolerantNcx(book.ncx.path, ncx) };
}

/** A broken NCX costs the titles, not the book: the pages' own headings are used. */
function tolerantNcx(path: string, ncx: string): TocEntry[] {
  try {
    return readNcx(path, parseXml(ncx, path));
  } catch (error) {
    if (AppError.from(error).code === "damaged-source") return [];
    throw error;
  }
}

function chooseDocuments(
  parts: readonly Part[],
  pages: readonly Page[],
  book: PackageDocument,
  navigation: Navigation,
  bookTitle: string,
): SourceDocument[] {
  const pageTypes = new Map<string, string[]>();
  const addTypes = (path: string, types: readonly string[]): void => {
    pageTypes.set(path, [...(pageTypes.get(path) ?? []), ...types]);
  };
  if (pages.filter(({ body }) => body.blocks.length > 0).length > 1) {
    for (const { types, link } of navigation.landmarks) if (link.fragment === undefined) addTypes(link.path, types);
    for (const { type, link } of book.guide) addTypes(link.path, [guideTypes.get(type) ?? type]);
  }
  const documents: SourceDocument[] = [];
  const lastListed = parts.map(({ listed }) => listed).lastIndexOf(true);
  for (const [index, part] of parts.entries()) {
    const blocks = blocksOf(part);
    if (!blocks.some(({ text }) => text !== "")) continue;
    const title = titleOf(part, bookTitle);
    const rule = ruleOfPart(part, {
      bookTitle,
      navigationPath: book.navigation?.path,
      pageTypes,
      begun: documents.length > 0,
      chaptersFollow: lastListed > index,
    });
    if (rule !== undefined) leaveOut(part, rule, title);
    else documents.push(toDocument(part, blocks, title, book.metadata.language));
  }
  return documents;
}

function leaveOut(part: Part, rule: string, title: string): void {
  for (const { page, from, to } of part.stretches) {
    const { ledger, blocks } = page.body;
    const start = from === 0 ? 0 : (blocks[from]?.range.start ?? ledger.text.length);
    const end = to >= blocks.length ? ledger.text.length : (blocks[to]?.range.start ?? ledger.text.length);
    ledger.withdraw(start, end);
    ledger.skip(rule, start, end, title);
  }
}

function toDocument(part: Part, blocks: SourceDocument["blocks"], title: string, bookLanguage: string): SourceDocument {
  const page = part.stretches[0]?.page;
  const language = page?.language;
  const elementId = part.fragment;
  return {
    title,
    ...(language === undefined || language === bookLanguage ? {} : { language }),
    anchor: { file: page?.path ?? "", ...(elementId === undefined ? {} : { elementId }) },
    blocks,
  };
}

/** A page that is left out whole goes by its name in the table of contents. */
function named(skipped: SkippedText[], text: string, toc: readonly TocEntry[]): SkippedText[] {
  const [only] = skipped;
  if (
    !only ||
    skipped.length !== 1 ||
    text.slice(0, only.range.start).trim() + text.slice(only.range.end).trim() !== ""
  )
    return skipped;
  const label = labelOf(only.range.file, toc);
  return label === undefined ? skipped : [{ ...only, title: label }];
}

function labelOf(path: string, toc: readonly TocEntry[]): string | undefined {
  for (const entry of toc) {
    if (entry.link?.path === path && entry.title !== "") return entry.title;
    const below = labelOf(path, entry.children);
    if (below !== undefined) return below;
  }
  return undefined;
}

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import type { SourceTree } from "@katari/core";
import { readSource } from "./read-source.ts";

/** Files of an archive by name, in order. */
export type ArchiveFiles = Readonly<Record<string, string | Uint8Array>>;

/** Writes a ZIP archive (APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16), its entries stored or deflated. */
export function writeZip(files: ArchiveFiles, deflated = false): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const data = Buffer.from(content as Uint8Array);
    const packed = deflated ? deflateRawSync(data) : data;
    const nameBytes = Buffer.from(name);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(0x0800, 2);
    shared.writeUInt16LE(deflated ? 8 : 0, 4);
    shared.writeUInt32LE(crc32(data), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(data.length, 18);
    shared.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), shared, nameBytes, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\0", "latin1"), shared, tail, nameBytes]));
    parts.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, index, end]);
}

export interface EpubFixture {
  /** Body content (or a whole page, when it begins with `<?xml`, `<!` or `<html`) by file name, in the spine's order. */
  readonly pages: Readonly<Record<string, string>>;
  /** Order of the spine, when it is not that of `pages`; a trailing `!` marks `linear="no"`. */
  readonly spine?: readonly string[];
  /** Entries of `nav.xhtml`: label → link. */
  readonly toc?: readonly (readonly [label: string, href: string])[];
  readonly landmarks?: readonly (readonly [type: string, href: string])[];
  /** Entries of `toc.ncx`: label → link. */
  readonly ncx?: readonly (readonly [label: string, src: string])[];
  readonly metadata?: string;
  readonly manifest?: string;
  readonly guide?: string;
  readonly files?: ArchiveFiles;
}

/** The files of a small EPUB; all pages lie in `OEBPS/`. */
export function epubFiles(fixture: EpubFixture): ArchiveFiles {
  const { pages, toc, landmarks, ncx } = fixture;
  const names = Object.keys(pages);
  const order = fixture.spine ?? names;
  const link = ([label, href]: readonly [string, string]): string => `<li><a href="${href}">${label}</a></li>`;
  const mark = ([type, href]: readonly [string, string]): string =>
    `<li><a epub:type="${type}" href="${href}">${type}</a></li>`;
  const point = ([label, src]: readonly [string, string]): string =>
    `<navPoint><navLabel><text>${label}</text></navLabel><content src="${src}"/></navPoint>`;
  const nav =
    toc || landmarks
      ? `<nav epub:type="toc"><ol>${(toc ?? []).map(link).join("")}</ol></nav>` +
        (landmarks ? `<nav epub:type="landmarks"><ol>${landmarks.map(mark).join("")}</ol></nav>` : "")
      : undefined;
  const items = names.map((name, i) => `<item id="p${String(i)}" href="${name}" media-type="application/xhtml+xml"/>`);
  const refs = order.map((name) => {
    const linear = name.endsWith("!") ? ' linear="no"' : "";
    return `<itemref idref="p${String(names.indexOf(name.replace(/!$/u, "")))}"${linear}/>`;
  });
  const opf = `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">${
    fixture.metadata ?? "<dc:title>A Book</dc:title><dc:creator>A. Writer</dc:creator><dc:language>en</dc:language>"
  }</metadata>
<manifest>${items.join("")}${nav ? '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>' : ""}${
    ncx ? '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' : ""
  }${fixture.manifest ?? ""}</manifest>
<spine${ncx ? ' toc="ncx"' : ""}>${refs.join("")}</spine>${fixture.guide ? `<guide>${fixture.guide}</guide>` : ""}</package>`;
  return {
    mimetype: "application/epub+zip",
    "META-INF/container.xml":
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    "OEBPS/book.opf": opf,
    ...(nav ? { "OEBPS/nav.xhtml": page(nav) } : {}),
    ...(ncx
      ? {
          "OEBPS/toc.ncx": `<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>${ncx.map(point).join("")}</navMap></ncx>`,
        }
      : {}),
    ...Object.fromEntries(names.map((name) => [`OEBPS/${name}`, page(pages[name] ?? "")])),
    ...fixture.files,
  };
}

function page(content: string): string {
  if (/^<(?:\?xml|!|html)/u.test(content)) return content;
  return `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>A Book</title></head><body>${content}</body></html>`;
}

/** Writes bytes to a file of that name in a folder of its own and reads it as source; the folder is removed after. */
export async function readBytes(bytes: string | Uint8Array, fileName: string): Promise<SourceTree> {
  const folder = await mkdtemp(join(tmpdir(), "katari-documents-"));
  try {
    const path = join(folder, fileName);
    await writeFile(path, bytes);
    return await readSource({ path, fileName });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function readEpubFixture(fixture: EpubFixture): Promise<SourceTree> {
  return readBytes(writeZip(epubFiles(fixture)), "a-book.epub");
}

/** Reads one body as a book of one page. */
export function readOnePage(body: string): Promise<SourceTree> {
  return readEpubFixture({ pages: { "page.xhtml": body } });
}

/** Kind and text of every block, document by document. */
export function outline(tree: SourceTree): { title: string; blocks: [kind: string, text: string][] }[] {
  return tree.documents.map(({ title, blocks }) => ({ title, blocks: blocks.map(({ kind, text }) => [kind, text]) }));
}

/** All block texts in order. */
export function texts(tree: SourceTree): string[] {
  return tree.documents.flatMap(({ blocks }) => blocks.map(({ text }) => text));
}

/** Characters skipped by rule. */
export function skippedByRule(tree: SourceTree): Record<string, number> {
  const rules: Record<string, number> = {};
  for (const { rule, characters } of tree.skipped) rules[rule] = (rules[rule] ?? 0) + characters;
  return rules;
}

import type { CoverImage } from "@katari/core";
import { decodeMarkup } from "../decode-markup.ts";
import { findElements } from "../markup-tree.ts";
import { parsePage } from "../parse-html.ts";
import { archiveLimits, type Archive } from "./archive.ts";
import type { PackageDocument } from "./package-document.ts";
import { resolveLink } from "./paths.ts";

/**
 * The cover of a book as JPEG or PNG: the image marked as cover, else the one picture of the guide's cover page. An SVG
 * that wraps one embedded JPEG or PNG gives that. Undefined where there is none; a cover never fails a book.
 */
export async function readCover(archive: Archive, book: PackageDocument): Promise<CoverImage | undefined> {
  const marked = book.cover?.path;
  const page = book.guide.find(({ type }) => type === "cover")?.link.path;
  for (const path of [marked, page]) {
    const cover = path === undefined ? undefined : await imageAt(archive, path, 2);
    if (cover) return cover;
  }
  return undefined;
}

async function imageAt(archive: Archive, path: string, depth: number): Promise<CoverImage | undefined> {
  if (!archive.has(path) || depth === 0) return undefined;
  const bytes = await archive.read(path, archiveLimits.imageBytes);
  const image = asImage(bytes);
  if (image) return image;
  const text = decodeMarkup(bytes);
  if (!/<(?:svg|html)\b/iu.test(text.slice(0, 2_048))) return undefined;
  const root = parsePage(text, path);
  for (const element of [...findElements(root, "img"), ...findElements(root, "image")]) {
    const { attributes } = element;
    const reference = attributes.get("src") ?? attributes.get("xlink:href") ?? attributes.get("href") ?? "";
    const data = /^data:image\/(?:jpe?g|png);base64,/iu.exec(reference);
    if (data) {
      const embedded = asImage(Buffer.from(reference.slice(data[0].length), "base64"));
      if (embedded) return embedded;
    }
    const link = data ? undefined : resolveLink(path, reference);
    const linked = link && (await imageAt(archive, link.path, depth - 1));
    if (linked) return linked;
  }
  return undefined;
}

/** What the bytes are, whatever the book calls them. */
function asImage(bytes: Uint8Array): CoverImage | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return { mediaType: "image/jpeg", bytes };
  const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a].every((byte, index) => bytes[index] === byte);
  return png ? { mediaType: "image/png", bytes } : undefined;
}

import type { ProgrammeTags } from "@katari/core";
import { join, latin1, u32, u8, utf8 } from "./byte-writer.ts";
import { box, fullBox } from "./mp4-boxes.ts";
import type { Cover } from "./programme-file.ts";

const dataTypes = { utf8: 1, jpeg: 13, png: 14, integer: 21 } as const;

/** iTunes media type 2: an audiobook, so that players remember the place and offer speeds. */
const audiobook = 2;

/**
 * The `meta` box with the tags that audiobook players read. The narrator stands as composer (`©wrt`), where they look
 * for it, and as `©nrt`.
 */
export function metaBox(tags: ProgrammeTags, cover: Cover | undefined): Uint8Array {
  const authors = tags.authors.join(", ");
  const rows = [
    text("\u00a9nam", tags.title),
    text("\u00a9alb", tags.title),
    text("\u00a9ART", authors),
    text("aART", authors),
    text("\u00a9wrt", tags.narrator),
    text("\u00a9nrt", tags.narrator),
    text("\u00a9gen", "Audiobook"),
    text("\u00a9day", tags.published),
    text("\u00a9pub", tags.publisher),
    text("\u00a9cmt", tags.comment),
    text("desc", tags.description),
    text("ldes", tags.description),
    text("cprt", tags.copyright),
    text("\u00a9too", "Katari"),
    item("stik", dataTypes.integer, u8(audiobook)),
  ];
  if (cover) rows.push(item("covr", cover.mediaType === "image/png" ? dataTypes.png : dataTypes.jpeg, cover.bytes));
  const handler = fullBox("hdlr", 0, 0, u32(0), latin1("mdirappl"), new Uint8Array(9));
  return fullBox("meta", 0, 0, handler, box("ilst", ...rows));
}

function item(name: string, type: number, value: Uint8Array): Uint8Array {
  return box(name, box("data", u32(type), u32(0), value));
}

function text(name: string, value: string | undefined): Uint8Array {
  return value === undefined || value === "" ? join() : item(name, dataTypes.utf8, utf8(value));
}

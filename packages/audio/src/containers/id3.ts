import { AppError, type ProgrammeTags } from "@katari/core";
import { samplesToMs, type Chapter } from "../chapters.ts";
import { join, latin1, u16, u32, u8 } from "./byte-writer.ts";
import { threeLetterLanguage } from "./language-code.ts";
import type { Cover } from "./programme-file.ts";

/** A size in ID3's seven bits a byte, so that it never looks like the start of an MP3 frame. */
function synchsafe(value: number): Uint8Array {
  if (value >= 2 ** 28)
    throw new AppError("too-large", "Cover and tags together are above the 256 MB that an MP3 can hold.", {
      cure: "Use a smaller cover image.",
    });
  return u8((value >>> 21) & 127, (value >>> 14) & 127, (value >>> 7) & 127, value & 127);
}

const utf16 = 1;
const frontCover = 3;

/** Text as UTF-16 with byte order mark, the only Unicode of ID3v2.3. */
function unicode(text: string): Uint8Array {
  const bytes = new Uint8Array(2 + text.length * 2);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0xfeff, true);
  for (let i = 0; i < text.length; i++) view.setUint16(2 + i * 2, text.charCodeAt(i), true);
  return bytes;
}

function frame(id: string, body: Uint8Array): Uint8Array {
  return join(latin1(id), u32(body.length), u16(0), body);
}

function textFrame(id: string, value: string | undefined): Uint8Array {
  return value ? frame(id, join(u8(utf16), unicode(value))) : join();
}

/** Free text with its own name, which readers show as it is. */
function userFrame(name: string, value: string | undefined): Uint8Array {
  return value ? frame("TXXX", join(u8(utf16), unicode(name), u16(0), unicode(value))) : join();
}

function commentFrame(language: string, value: string | undefined): Uint8Array {
  if (!value) return join();
  return frame("COMM", join(u8(utf16), latin1(threeLetterLanguage(language)), unicode(""), u16(0), unicode(value)));
}

function pictureFrame(cover: Cover): Uint8Array {
  const head = join(u8(0), latin1(cover.mediaType), u8(0), u8(frontCover), u8(0));
  return frame("APIC", join(head, cover.bytes));
}

const tableId = "toc";
const noByteOffset = 0xffff_ffff;
/** `CTOC` counts its children in one byte. */
const childrenPerTable = 255;

/**
 * Chapters by the ID3v2 Chapter Frame Addendum: one `CHAP` each, with times in milliseconds and the title as `TIT2`,
 * and ordered `CTOC` tables. A table has at most 255 children; with more chapters, the top one has tables as children.
 */
function chapterFrames(chapters: readonly Chapter[], sampleRate: number): Uint8Array[] {
  if (chapters.length === 0) return [];
  const frames = chapters.map((chapter, index) =>
    frame(
      "CHAP",
      join(
        latin1(`chp${index}\0`),
        u32(samplesToMs(chapter.startSamples, sampleRate)),
        u32(samplesToMs(chapter.endSamples, sampleRate)),
        u32(noByteOffset),
        u32(noByteOffset),
        textFrame("TIT2", chapter.title),
      ),
    ),
  );
  const ids = chapters.map((_, index) => `chp${index}`);
  const table = (id: string, top: boolean, children: readonly string[]) =>
    frame(
      "CTOC",
      join(latin1(`${id}\0`), u8(top ? 3 : 1), u8(children.length), ...children.map((child) => latin1(`${child}\0`))),
    );
  if (ids.length <= childrenPerTable) return [table(tableId, true, ids), ...frames];
  const tables: Uint8Array[] = [];
  const tableIds: string[] = [];
  for (let start = 0; start < ids.length; start += childrenPerTable) {
    const id = `${tableId}${tableIds.length}`;
    tableIds.push(id);
    tables.push(table(id, false, ids.slice(start, start + childrenPerTable)));
  }
  return [table(tableId, true, tableIds), ...tables, ...frames];
}

/**
 * An ID3v2.3 tag (the version that the oldest players in cars and on shelves read too) with tags, cover and chapters.
 * The narrator stands as composer, where audiobook players look, and as `TXXX:NARRATOR`.
 */
export function id3Tag(
  tags: ProgrammeTags,
  chapters: readonly Chapter[],
  sampleRate: number,
  cover: Cover | undefined,
): Uint8Array {
  const authors = tags.authors.join("/");
  const body = join(
    textFrame("TIT2", tags.title),
    textFrame("TALB", tags.title),
    textFrame("TPE1", authors),
    textFrame("TPE2", authors),
    textFrame("TCOM", tags.narrator),
    userFrame("NARRATOR", tags.narrator),
    textFrame("TCON", "Audiobook"),
    textFrame("TYER", /^\d{4}/.exec(tags.published ?? "")?.[0]),
    textFrame("TPUB", tags.publisher),
    textFrame("TCOP", tags.copyright),
    textFrame("TLAN", threeLetterLanguage(tags.language)),
    textFrame("TSSE", "Katari"),
    commentFrame(tags.language, tags.comment),
    userFrame("DESCRIPTION", tags.description),
    ...chapterFrames(chapters, sampleRate),
    cover ? pictureFrame(cover) : join(),
  );
  return join(latin1("ID3"), u8(3, 0, 0), synchsafe(body.length), body);
}

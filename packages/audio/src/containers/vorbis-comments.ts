import type { ProgrammeTags } from "@katari/core";
import type { Chapter } from "../chapters.ts";
import { join, utf8 } from "./byte-writer.ts";

function u32le(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, value, true);
  return new Uint8Array(view.buffer);
}

const field = (text: Uint8Array): Uint8Array => join(u32le(text.length), text);

/** A position as the chapter extension writes it: HH:MM:SS.mmm. */
export function chapterTime(samples: number, sampleRate: number): string {
  const ms = Math.round((samples * 1000) / sampleRate);
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60].map(two);
  return `${clock.join(":")}.${String(ms % 1000).padStart(3, "0")}`;
}

/**
 * The body of a Vorbis comment block: tags, and chapters by the Chapter Extension (`CHAPTER001=`, `CHAPTER001NAME=`).
 * Line breaks stay; every value is UTF-8.
 */
export function vorbisComments(tags: ProgrammeTags, chapters: readonly Chapter[], sampleRate: number): Uint8Array {
  const entries: (readonly [string, string | undefined])[] = [
    ["TITLE", tags.title],
    ["ALBUM", tags.title],
    ...tags.authors.map((author) => ["ARTIST", author] as const),
    ["ALBUMARTIST", tags.authors.join(", ")],
    ["COMPOSER", tags.narrator],
    ["NARRATOR", tags.narrator],
    ["GENRE", "Audiobook"],
    ["DATE", tags.published],
    ["ORGANIZATION", tags.publisher],
    ["DESCRIPTION", tags.description],
    ["COPYRIGHT", tags.copyright],
    ["COMMENT", tags.comment],
    ["LANGUAGE", tags.language],
    ["ENCODER", "Katari"],
  ];
  chapters.forEach((chapter, index) => {
    const number = String(index + 1).padStart(3, "0");
    entries.push([`CHAPTER${number}`, chapterTime(chapter.startSamples, sampleRate)]);
    entries.push([`CHAPTER${number}NAME`, chapter.title]);
  });
  const fields = entries.flatMap(([name, value]) => (value ? [field(utf8(`${name}=${value}`))] : []));
  return join(field(utf8("Katari")), u32le(fields.length), ...fields);
}

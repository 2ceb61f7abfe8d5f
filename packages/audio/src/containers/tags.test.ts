import { describe, expect, it } from "vitest";
import type { Chapter } from "../chapters.ts";
import { makePlan } from "../testing/signals.ts";
import { id3Tag } from "./id3.ts";
import { threeLetterLanguage } from "./language-code.ts";
import { crc16 } from "./mp3-file.ts";
import { chapterTime } from "./vorbis-comments.ts";

const { tags } = makePlan({ documents: 0, segments: 0, clipSamples: () => 0 });
const chaptersOfOneSecond = (count: number): Chapter[] =>
  Array.from({ length: count }, (_, i) => ({
    title: `Nr. ${i + 1}`,
    startSamples: i * 24_000,
    endSamples: (i + 1) * 24_000,
  }));

/** Frames of an ID3v2.3 tag: names and bodies. */
function framesOf(tag: Uint8Array): { readonly id: string; readonly body: Buffer }[] {
  const bytes = Buffer.from(tag);
  expect(bytes.subarray(0, 6)).toEqual(Buffer.from([0x49, 0x44, 0x33, 3, 0, 0]));
  const size = [6, 7, 8, 9].reduce((sum, i) => sum * 128 + (bytes[i] ?? 0), 0);
  expect(size + 10).toBe(bytes.length);
  const frames = [];
  for (let at = 10; at < bytes.length;) {
    const length = bytes.readUInt32BE(at + 4);
    frames.push({ id: bytes.toString("latin1", at, at + 4), body: bytes.subarray(at + 10, at + 10 + length) });
    at += 10 + length;
  }
  return frames;
}

describe("ID3v2.3", () => {
  it("has a chapter frame for each chapter, with times in milliseconds, and one ordered table", () => {
    const frames = framesOf(id3Tag(tags, chaptersOfOneSecond(3), 24_000, undefined));
    const chapters = frames.filter((frame) => frame.id === "CHAP");
    expect(chapters).toHaveLength(3);
    const second = chapters[1]?.body ?? Buffer.alloc(0);
    expect(second.toString("latin1", 0, 5)).toBe("chp1\0");
    expect([second.readUInt32BE(5), second.readUInt32BE(9)]).toEqual([1000, 2000]);
    const table = frames.find((frame) => frame.id === "CTOC")?.body;
    // Top level and ordered, three children.
    expect(table?.toString("latin1")).toBe("toc\0\x03\x03chp0\0chp1\0chp2\0");
  });

  it("splits the table above 255 chapters", () => {
    const frames = framesOf(id3Tag(tags, chaptersOfOneSecond(300), 24_000, undefined));
    const tables = frames.filter((frame) => frame.id === "CTOC");
    expect(tables.map((table) => table.body[table.body.indexOf(0) + 2])).toEqual([2, 255, 45]);
    expect(frames.filter((frame) => frame.id === "CHAP")).toHaveLength(300);
  });

  it("writes text as UTF-16", () => {
    const title = framesOf(id3Tag(tags, [], 24_000, undefined)).find((frame) => frame.id === "TIT2")?.body;
    expect(title?.subarray(0, 3)).toEqual(Buffer.from([1, 0xff, 0xfe]));
    expect(title?.subarray(3).toString("utf16le")).toBe("Don't Panic — 語り");
  });
});

describe("small parts of tags", () => {
  it("tells languages with three letters", () => {
    expect(["en-GB", "ja", "DE", "zho-Hant", "xx", ""].map(threeLetterLanguage)).toEqual([
      "eng",
      "jpn",
      "deu",
      "zho",
      "und",
      "und",
    ]);
  });

  it("writes chapter times as hours, minutes, seconds and milliseconds", () => {
    expect(chapterTime(24_000 * 3661 + 12_000, 24_000)).toBe("01:01:01.500");
    // 59.9996 s is nearer to the minute than to 59.999.
    expect(chapterTime(Math.round(59.9996 * 24_000), 24_000)).toBe("00:01:00.000");
  });

  it("has the check sum that CRC-16/ARC is defined by", () => {
    expect(crc16(Buffer.from("123456789"), 0)).toBe(0xbb3d);
  });
});

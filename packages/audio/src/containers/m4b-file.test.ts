import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Chapter } from "../chapters.ts";
import { boxAt, boxesIn, uint32s } from "../testing/mp4-reader.ts";
import { makePlan, onePixelPng } from "../testing/signals.ts";
import { openFileSink } from "./file-sink.ts";
import { openM4b } from "./m4b-file.ts";
import { chunkOffsets, edts } from "./mp4-boxes.ts";
import { chpl } from "./mp4-chapters.ts";

const sampleRate = 24_000;
const chapters: readonly Chapter[] = [
  { title: "One ― 一", startSamples: 1001, endSamples: 30_007 },
  { title: "Two", startSamples: 30_007, endSamples: 48_123 },
];
const lengthSamples = 48_123;
let folder = "";
let bytes = new Uint8Array();

beforeAll(async () => {
  folder = await mkdtemp(joinPath(tmpdir(), "katari-m4b-"));
  const path = joinPath(folder, "a.m4b");
  const sink = await openFileSink(path);
  const { tags } = makePlan({ documents: 0, segments: 0, clipSamples: () => 0 });
  const cover = { mediaType: "image/png", bytes: onePixelPng } as const;
  const file = await openM4b({ sink, sampleRate, lengthSamples, chapters, tags, cover });
  for (let at = 0; at < lengthSamples; at += 1000)
    await file.push(new Float32Array(Math.min(1000, lengthSamples - at)).fill(0.1));
  await file.finish();
  await file.close();
  const { sizeBytes } = await sink.finish();
  bytes = new Uint8Array(await readFile(path));
  if (sizeBytes !== bytes.length) throw new Error(`the sink said ${sizeBytes} bytes of ${bytes.length}`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("M4B", () => {
  it("is an audiobook by its brand, with the index before the sound", () => {
    expect(boxesIn(bytes).map((box) => box.type)).toEqual(["ftyp", "moov", "free", "mdat"]);
    expect(Buffer.from(boxAt(bytes, "ftyp").subarray(0, 4)).toString()).toBe("M4B ");
    // Media type 2 in iTunes' tag.
    expect([...boxAt(bytes, "moov/udta/meta/ilst/stik/data").subarray(8)]).toEqual([2]);
    expect(boxAt(bytes, "moov/udta/meta/ilst/covr/data").subarray(8)).toEqual(onePixelPng);
  });

  it("has the sound's chapters in the track that it names", () => {
    const [chapterTrack] = uint32s(boxAt(bytes, "moov/trak:0/tref/chap"), 0, 1);
    expect(uint32s(boxAt(bytes, "moov/trak:1/tkhd"), 12, 1)).toEqual([chapterTrack]);
  });

  it("starts every chapter on its sample: an empty edit for the lead-in, then durations in samples", () => {
    expect(uint32s(boxAt(bytes, "moov/trak:1/mdia/mdhd"), 12, 1)).toEqual([sampleRate]);
    expect(uint32s(boxAt(bytes, "moov/mvhd"), 12, 2)).toEqual([sampleRate, lengthSamples]);
    // Two edits: 1,001 of nothing (media time −1), then the titles from their beginning.
    expect(uint32s(boxAt(bytes, "moov/trak:1/edts/elst"), 4, 7)).toEqual([
      2,
      1001,
      0xffff_ffff,
      0x1_0000,
      lengthSamples - 1001,
      0,
      0x1_0000,
    ]);
    const [rows, , first] = uint32s(boxAt(bytes, "moov/trak:1/mdia/minf/stbl/stts"), 4, 5);
    expect([rows, first]).toEqual([2, 30_007 - 1001]);
  });

  it("points at the titles, as UTF-8 that says so", () => {
    const [, position] = uint32s(boxAt(bytes, "moov/trak:1/mdia/minf/stbl/stco"), 4, 2);
    const title = Buffer.from("One ― 一");
    const sample = Buffer.from(bytes.subarray(position, (position ?? 0) + 2 + title.length + 12));
    expect(sample.readUInt16BE(0)).toBe(title.length);
    expect(sample.subarray(2, 2 + title.length)).toEqual(title);
    expect(sample.subarray(2 + title.length).toString("latin1")).toBe("\0\0\0\x0cencd\0\0\x01\0");
  });

  it("plays from after the encoder's priming for exactly the programme's length", () => {
    expect(uint32s(boxAt(bytes, "moov/trak:0/edts/elst"), 4, 4)).toEqual([1, lengthSamples, 1024, 0x1_0000]);
  });

  it("has chunks that lie in the sound and hold all of it", () => {
    const stbl = "moov/trak:0/mdia/minf/stbl";
    const [count = 0] = uint32s(boxAt(bytes, `${stbl}/stsz`), 8, 1);
    // 1,024 samples of priming and 48,123 of sound make 47.99…: 48 packets.
    expect(count).toBe(48);
    const sizes = uint32s(boxAt(bytes, `${stbl}/stsz`), 12, count);
    const [chunkCount = 0] = uint32s(boxAt(bytes, `${stbl}/stco`), 4, 1);
    const offsets = uint32s(boxAt(bytes, `${stbl}/stco`), 8, chunkCount);
    const [, , perChunk = 0] = uint32s(boxAt(bytes, `${stbl}/stsc`), 4, 3);
    let packet = 0;
    let end = 0;
    for (const offset of offsets) {
      expect([0, offset]).toContain(end);
      end = offset + sizes.slice(packet, packet + perChunk).reduce((a, b) => a + b, 0);
      packet += perChunk;
    }
    expect(end).toBe(bytes.length);
  });
});

describe("boxes for long programmes", () => {
  it("uses 64-bit chunk offsets above 4 GB", () => {
    const [co64] = boxesIn(chunkOffsets([5 * 2 ** 32 + 7], true));
    expect(co64?.type).toBe("co64");
    expect(uint32s(co64?.body ?? new Uint8Array(), 4, 3)).toEqual([1, 5, 7]);
  });

  it("uses the wide edit list when a time passes 32 bits", () => {
    const elst = boxAt(edts([{ duration: 2 ** 33, mediaTime: -1 }]), "edts/elst");
    expect([...elst.subarray(0, 4)]).toEqual([1, 0, 0, 0]);
    expect(uint32s(elst, 4, 6)).toEqual([1, 2, 0, 0xffff_ffff, 0xffff_ffff, 0x1_0000]);
  });

  it("lists at most 255 chapters for Nero's readers, titles cut between characters", () => {
    const many = Array.from({ length: 300 }, (_, i) => ({
      title: "語".repeat(100),
      startSamples: i,
      endSamples: i + 1,
    }));
    const body = boxAt(chpl(many, 24_000), "chpl");
    expect(body[8]).toBe(255);
    // 100 characters of three bytes: 85 whole ones fit into 255 bytes.
    expect(body[17]).toBe(255);
    expect(Buffer.from(body.subarray(18, 18 + 255)).toString()).toBe("語".repeat(85));
  });
});

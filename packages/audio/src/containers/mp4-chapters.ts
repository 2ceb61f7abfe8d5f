import type { Chapter } from "../chapters.ts";
import { join, u16, u32, u64, u8, utf8Within } from "./byte-writer.ts";
import { box, chunkOffsets, dinf, edts, fullBox, hdlr, mdhd, stsc, stsz, stts, tkhd, type Edit } from "./mp4-boxes.ts";

/** A title as a sample of a QuickTime text track: length, UTF-8, and an `encd` atom that says so (256 = UTF-8). */
export function chapterSample(title: string): Uint8Array {
  const text = utf8Within(title, 0xffff);
  return join(u16(text.length), text, box("encd", u32(0x100)));
}

export interface ChapterTrack {
  readonly sampleRate: number;
  readonly lengthSamples: number;
  readonly chapters: readonly Chapter[];
  readonly sampleSizes: readonly number[];
  /** Where the first title stands in the file; all of them make one chunk. */
  readonly position: number;
  readonly wide: boolean;
  readonly language: string;
}

/**
 * A QuickTime chapter track ("Chapter Lists" in the QuickTime File Format Specification): a disabled text track that
 * the sound's `tref/chap` names. Its time scale is the sample rate, so every start is exact to the sample; what comes
 * before the first chapter (the lead-in) is an empty edit.
 */
export function chapterTrak(id: number, track: ChapterTrack): Uint8Array {
  const { chapters, lengthSamples, sampleRate } = track;
  const first = chapters[0]?.startSamples ?? 0;
  const edits: Edit[] = [{ duration: lengthSamples - first, mediaTime: 0 }];
  if (first > 0) edits.unshift({ duration: first, mediaTime: -1 });
  // The last title lasts longer by the lead-in than its edit shows: so the media is as long as the programme, from which
  // some readers (ffmpeg) take the last chapter's end without looking at the edits.
  const durations = chapters.map((chapter, index) => ({
    count: 1,
    duration: chapter.endSamples - chapter.startSamples + (index === chapters.length - 1 ? first : 0),
  }));
  const tables = [
    fullBox("stsd", 0, 0, u32(1), textDescription()),
    stts(durations),
    stsc(chapters.length, chapters.length),
    stsz(track.sampleSizes, chapters.length),
    chunkOffsets([track.position], track.wide),
  ];
  return box(
    "trak",
    tkhd(id, lengthSamples, false),
    edts(edits),
    box(
      "mdia",
      mdhd(sampleRate, lengthSamples, track.language),
      hdlr("text", "Chapters"),
      box("minf", box("gmhd", gmin(), textHeader()), dinf(), box("stbl", ...tables)),
    ),
  );
}

const unityMatrix = join(...[0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000].map(u32));
const gmin = () => fullBox("gmin", 0, 0, u16(0x40), u16(0x8000), u16(0x8000), u16(0x8000), u32(0));
const textHeader = () => box("text", unityMatrix);

/** Text sample description: left-aligned, black on white, empty text box and font name. */
function textDescription(): Uint8Array {
  const colours = new Uint8Array(6);
  const textBox = new Uint8Array(8);
  return box(
    "text",
    u32(0),
    u16(0),
    u16(1),
    u32(0),
    u32(0),
    colours,
    textBox,
    u64(0),
    u16(0),
    u16(0),
    u8(0),
    u16(0),
    colours,
    u8(0),
  );
}

const chplChapters = 255;
const titleBytes = 255;

/** Nero's chapter list: starts in units of 100 ns, at most 255 chapters and 255 bytes of title. */
export function chpl(chapters: readonly Chapter[], sampleRate: number): Uint8Array {
  const listed = chapters.slice(0, chplChapters);
  const rows = listed.map((chapter) => {
    const title = utf8Within(chapter.title, titleBytes);
    return join(u64(Math.round((chapter.startSamples * 10_000_000) / sampleRate)), u8(title.length), title);
  });
  return fullBox("chpl", 1, 0, u32(0), u8(listed.length), ...rows);
}

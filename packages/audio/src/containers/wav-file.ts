import type { ProgrammeTags } from "@katari/core";
import type { Chapter } from "../chapters.ts";
import { pcm16Bytes, toPcm16 } from "../pcm16.ts";
import { wavHeader } from "../wav.ts";
import { join, latin1, utf8 } from "./byte-writer.ts";
import type { ProgrammeFile, ProgrammeFileOptions } from "./programme-file.ts";

/**
 * A 16-bit mono WAV with RIFF INFO tags and the chapters as `cue ` points with `adtl` labels, after the samples, at the
 * voice's own rate. All sizes follow from the length, so the header is right from the first byte. WAV has no place for a
 * cover. Text is UTF-8: RIFF never said which encoding INFO has, and today's readers try this one first. Throws
 * `too-large` above 4 GB.
 */
export async function openWav(options: ProgrammeFileOptions): Promise<ProgrammeFile> {
  const { sink, sampleRate, lengthSamples, chapters, tags } = options;
  const trailer = join(infoList(tags), cuePoints(chapters), labels(chapters));
  await sink.append(wavHeader(sampleRate, lengthSamples, trailer.length));
  return {
    push: (pcm) => sink.append(pcm16Bytes(toPcm16(pcm))),
    finish: () => sink.append(trailer),
    close: () => Promise.resolve(),
  };
}

function infoList(tags: ProgrammeTags): Uint8Array {
  const entries: readonly (readonly [string, string | undefined])[] = [
    ["INAM", tags.title],
    ["IPRD", tags.title],
    ["IART", tags.authors.join(", ")],
    ["IWRI", tags.narrator],
    ["IGNR", "Audiobook"],
    ["ICRD", tags.published],
    ["ICMT", tags.comment ?? tags.description],
    ["ICOP", tags.copyright],
    ["ILNG", tags.language],
    ["ISFT", "Katari"],
  ];
  const chunks = entries.flatMap(([name, value]) => (value ? [chunk(name, utf8(`${value}\0`))] : []));
  return chunk("LIST", join(latin1("INFO"), ...chunks));
}

function cuePoints(chapters: readonly Chapter[]): Uint8Array {
  if (chapters.length === 0) return join();
  const rows = chapters.map((chapter, index) =>
    join(
      u32le(index + 1),
      u32le(chapter.startSamples),
      latin1("data"),
      u32le(0),
      u32le(0),
      u32le(chapter.startSamples),
    ),
  );
  return chunk("cue ", join(u32le(chapters.length), ...rows));
}

function labels(chapters: readonly Chapter[]): Uint8Array {
  if (chapters.length === 0) return join();
  const rows = chapters.map((chapter, index) => chunk("labl", join(u32le(index + 1), utf8(`${chapter.title}\0`))));
  return chunk("LIST", join(latin1("adtl"), ...rows));
}

function chunk(name: string, body: Uint8Array): Uint8Array {
  return join(latin1(name), u32le(body.length), body, new Uint8Array(body.length % 2));
}

function u32le(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, value, true);
  return new Uint8Array(view.buffer);
}

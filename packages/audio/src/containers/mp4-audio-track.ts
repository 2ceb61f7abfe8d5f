import { join, u16, u32, u8 } from "./byte-writer.ts";
import { box, chunkOffsets, dinf, edts, fullBox, hdlr, mdhd, stsc, stsz, stts, tkhd } from "./mp4-boxes.ts";

/** Samples of one AAC-LC packet (ISO/IEC 14496-3), and what the encoder puts before the first real one. */
export const aacFrameSamples = 1024;
export const aacPrimingSamples = 1024;

/** One AAC track of which every packet's size is known. All times are samples. */
export interface AudioTrack {
  readonly sampleRate: number;
  readonly lengthSamples: number;
  readonly packetSizes: Uint32Array;
  readonly packetCount: number;
  readonly packetsPerChunk: number;
  readonly chunkPositions: readonly number[];
  readonly wide: boolean;
  readonly language: string;
  /** AudioSpecificConfig. */
  readonly decoderConfig: Uint8Array;
  readonly bitrate: number;
  readonly largestPacketBytes: number;
  readonly chapterTrack: number | undefined;
}

/**
 * The `trak` of the sound. Its edit starts after the encoder's priming and lasts exactly as long as the programme, so
 * that a reader which follows edits gives neither priming nor the padding of the last packet; the roll group says that
 * a packet needs the one before it (what Apple's and other players use to seek).
 */
export function audioTrak(id: number, track: AudioTrack): Uint8Array {
  const { sampleRate, lengthSamples, packetCount } = track;
  const chapters = track.chapterTrack === undefined ? [] : [box("tref", box("chap", u32(track.chapterTrack)))];
  const tables = [
    fullBox("stsd", 0, 0, u32(1), mp4a(track)),
    stts([{ count: packetCount, duration: aacFrameSamples }]),
    stsc(packetCount, track.packetsPerChunk),
    stsz(track.packetSizes, packetCount),
    chunkOffsets(track.chunkPositions, track.wide),
    fullBox("sgpd", 1, 0, u8(0x72, 0x6f, 0x6c, 0x6c), u32(2), u32(1), u16(0xffff)),
    fullBox("sbgp", 0, 0, u8(0x72, 0x6f, 0x6c, 0x6c), u32(1), u32(packetCount), u32(1)),
  ];
  return box(
    "trak",
    tkhd(id, lengthSamples, true),
    edts([{ duration: lengthSamples, mediaTime: aacPrimingSamples }]),
    ...chapters,
    box(
      "mdia",
      mdhd(sampleRate, packetCount * aacFrameSamples, track.language),
      hdlr("soun", "Narration"),
      box("minf", fullBox("smhd", 0, 0, u32(0)), dinf(), box("stbl", ...tables)),
    ),
  );
}

function mp4a(track: AudioTrack): Uint8Array {
  const head = join(u32(0), u16(0), u16(1), u32(0), u32(0), u16(1), u16(16), u32(0));
  // The field is 16.16 and holds rates below 65,536 only; all of ours are.
  return box("mp4a", head, u16(track.sampleRate), u16(0), esds(track));
}

/** Elementary stream descriptor (ISO/IEC 14496-1): object type 0x40 (MPEG-4 audio), stream type 5 (audio). */
function esds({ decoderConfig, bitrate, largestPacketBytes }: AudioTrack): Uint8Array {
  const rates = join(u32(largestPacketBytes).subarray(1), u32(bitrate), u32(bitrate));
  const decoder = descriptor(4, u8(0x40, 0x15), rates, descriptor(5, decoderConfig));
  return fullBox("esds", 0, 0, descriptor(3, u16(0), u8(0), decoder, descriptor(6, u8(2))));
}

function descriptor(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = join(...parts);
  return join(u8(tag, body.length), body);
}

/** AudioSpecificConfig of AAC-LC, one channel (ISO/IEC 14496-3, 1.6.2.1). */
export function aacLcMono(sampleRate: number): Uint8Array {
  const rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];
  return u16((2 << 11) | (rates.indexOf(sampleRate) << 7) | (1 << 3));
}

import { AppError } from "@katari/core";
import { join, latin1, u16, u24, u32, u8 } from "./byte-writer.ts";
import { id3Tag } from "./id3.ts";
import { createPacketEncoder } from "./packet-encoder.ts";
import type { ProgrammeFile, ProgrammeFileOptions } from "./programme-file.ts";

/**
 * Rate and bit rate of every MP3, whatever the voice's rate: 44.1 kHz and 192 kbit/s constant, mono. That is what
 * audiobook distributors take (ACX among them), and MPEG-2's 24 kHz makes some old players stumble.
 */
export const mp3SampleRate = 44_100;
const bitrate = 192_000;
const frameSamples = 1152;
/** Silence that LAME puts before the first sample. A decoder adds 529 of its own, which readers know of. */
const encoderDelay = 576;
/** LAME's table for constant rates turns the level down by this at 192 kbit/s; what goes in is raised by as much. */
const lameScale = 0.97;
/** Header of an MPEG-1 Layer III frame: no CRC, 192 kbit/s, 44.1 kHz, no padding, mono. */
const infoFrameHeader = u8(0xff, 0xfb, 0xb0, 0xc4);
const infoFrameBytes = Math.floor((144 * bitrate) / mp3SampleRate);
/** Side information of a mono MPEG-1 frame stands between header and `Info`. */
const sideInfoBytes = 17;
const tableEntries = 100;

/**
 * An MP3: ID3v2.3 tag, then an `Info` frame with LAME's extension, then frames. The extension tells delay and padding,
 * so that readers give exactly the programme's samples; it is written at the end, when the number of frames is known.
 * Frames are of one size (± the padding byte), so the table for seeking is a straight line.
 */
export async function openMp3(options: ProgrammeFileOptions): Promise<ProgrammeFile> {
  const { sink, sampleRate, lengthSamples, chapters, tags, cover } = options;
  if (sampleRate !== mp3SampleRate)
    throw new AppError("internal", `An MP3 is written at ${mp3SampleRate} samples a second, not ${sampleRate}.`);
  await sink.append(id3Tag(tags, chapters, sampleRate, cover));
  const infoAt = sink.position;
  await sink.append(infoFrame(0, 0, 0));
  let frames = 0;
  let crc = 0;
  const encoder = await createPacketEncoder({
    codec: "mp3",
    sampleRate,
    bitrate,
    onPacket: async (packet) => {
      frames++;
      crc = crc16(packet, crc);
      await sink.append(packet);
    },
  });
  return {
    push: (pcm) => encoder.push(pcm.map((sample) => sample / lameScale)),
    async finish() {
      await encoder.finish();
      const padding = frames * frameSamples - encoderDelay - lengthSamples;
      if (padding < 0 || padding > 0xfff)
        throw new AppError("internal", `The MP3 encoder gave ${frames} frames for ${lengthSamples} samples.`);
      await sink.overwrite(infoAt, infoFrame(frames, sink.position - infoAt, padding, crc));
    },
    close: () => encoder.close(),
  };
}

/** A silent frame that holds the `Info` header (Xing's, for constant rates) and the LAME tag (revision 0). */
function infoFrame(frames: number, bytes: number, padding: number, musicCrc = 0): Uint8Array {
  const table = Uint8Array.from({ length: tableEntries }, (_, i) => Math.floor((i * 256) / tableEntries));
  const quality = u32(100 - 20);
  const lame = join(
    latin1("LAME3.100"),
    u8(0x01, 0),
    u32(0),
    u16(0),
    u16(0),
    u8(0, bitrate / 1000),
    u24((encoderDelay << 12) | padding),
    u8(0, 0),
    u16(0),
    u32(bytes),
    u16(musicCrc),
  );
  const head = join(
    infoFrameHeader,
    new Uint8Array(sideInfoBytes),
    latin1("Info"),
    u32(15),
    u32(frames),
    u32(bytes),
    table,
    quality,
    lame,
  );
  const body = join(head, u16(crc16(head, 0)));
  return join(body, new Uint8Array(infoFrameBytes - body.length));
}

const crcTable = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  return crc;
});

/** CRC-16 (polynomial 0x8005, reflected), which the LAME tag uses for the music and for itself. */
export function crc16(bytes: Uint8Array, start: number): number {
  let crc = start;
  for (const byte of bytes) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 255] ?? 0);
  return crc;
}

import { createHash } from "node:crypto";
import { AppError } from "@katari/core";
import { pcm16Bytes, toPcm16 } from "../pcm16.ts";
import { join, latin1, u16, u24, u32, u8 } from "./byte-writer.ts";
import { createPacketEncoder } from "./packet-encoder.ts";
import type { Cover, ProgrammeFile, ProgrammeFileOptions } from "./programme-file.ts";
import { vorbisComments } from "./vorbis-comments.ts";

const blockTypes = { streamInfo: 0, vorbisComment: 4, picture: 6 } as const;
const frontCover = 3;
const sampleBits = 16;
const largestBlockBytes = 2 ** 24 - 1;

/**
 * A FLAC file (RFC 9639), 16-bit mono at the voice's own rate: STREAMINFO with block and frame sizes and the MD5 of the
 * samples, which is written once more at the end, then tags with chapters, then the cover, then frames as they come.
 */
export async function openFlac(options: ProgrammeFileOptions): Promise<ProgrammeFile> {
  const { sink, sampleRate, lengthSamples, chapters, tags, cover } = options;
  const md5 = createHash("md5");
  let minimumBlock = 0;
  let maximumBlock = 0;
  let minimumFrame = 2 ** 24 - 1;
  let maximumFrame = 0;
  const streamInfo = (hash: Uint8Array): Uint8Array =>
    join(
      u16(minimumBlock),
      u16(maximumBlock),
      u24(maximumFrame === 0 ? 0 : minimumFrame),
      u24(maximumFrame),
      // 20 bits rate, 3 bits channels − 1 (0), 5 bits depth − 1 (whose highest is 0), 36 bits length.
      u16(sampleRate >>> 4),
      u8((sampleRate & 15) << 4, ((sampleBits - 1) << 4) | Math.floor(lengthSamples / 2 ** 32)),
      u32(lengthSamples % 2 ** 32),
      hash,
    );
  await sink.append(latin1("fLaC"));
  const infoAt = sink.position + 4;
  await sink.append(metadataBlock(blockTypes.streamInfo, streamInfo(new Uint8Array(16)), false));
  const comments = vorbisComments(tags, chapters, sampleRate);
  await sink.append(metadataBlock(blockTypes.vorbisComment, comments, cover === undefined));
  if (cover) await sink.append(metadataBlock(blockTypes.picture, picture(cover), true));
  const encoder = await createPacketEncoder({
    codec: "flac",
    sampleRate,
    onPacket: async (packet, description) => {
      // The encoder's own STREAMINFO follows `fLaC` and the block's head; its block sizes are fixed.
      if (description && maximumBlock === 0) {
        minimumBlock = ((description[8] ?? 0) << 8) | (description[9] ?? 0);
        maximumBlock = ((description[10] ?? 0) << 8) | (description[11] ?? 0);
      }
      minimumFrame = Math.min(minimumFrame, packet.length);
      maximumFrame = Math.max(maximumFrame, packet.length);
      await sink.append(packet);
    },
  });
  return {
    async push(pcm) {
      const samples = toPcm16(pcm);
      md5.update(pcm16Bytes(samples));
      await encoder.push(samples);
    },
    async finish() {
      await encoder.finish();
      await sink.overwrite(infoAt, streamInfo(md5.digest()));
    },
    close: () => encoder.close(),
  };
}

function metadataBlock(type: number, body: Uint8Array, last: boolean): Uint8Array {
  if (body.length > largestBlockBytes)
    throw new AppError("too-large", "The cover or the tags are above the 16 MB that FLAC can hold.", {
      cure: "Use a smaller cover image.",
    });
  return join(u8(type | (last ? 128 : 0)), u24(body.length), body);
}

/** Sizes of 0 say "not told": readers take them from the image. */
function picture(cover: Cover): Uint8Array {
  const type = latin1(cover.mediaType);
  const unknown = join(u32(0), u32(0), u32(0), u32(0));
  return join(u32(frontCover), u32(type.length), type, u32(0), unknown, u32(cover.bytes.length), cover.bytes);
}

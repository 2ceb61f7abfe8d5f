import { AppError } from "@katari/core";
import { createAacEncoder } from "./aac-lanes.ts";
import { join, latin1, u32, u64 } from "./byte-writer.ts";
import { threeLetterLanguage } from "./language-code.ts";
import { aacFrameSamples, aacLcMono, aacPrimingSamples, audioTrak } from "./mp4-audio-track.ts";
import { box, mvhd } from "./mp4-boxes.ts";
import { chapterSample, chapterTrak, chpl } from "./mp4-chapters.ts";
import { metaBox } from "./mp4-tags.ts";
import type { ProgrammeFile, ProgrammeFileOptions } from "./programme-file.ts";

/**
 * Nominal bits a second: so many that libavcodec's encoder reaches the precision it aims at in one go and spends no more.
 * Speech at 24 kHz then takes about 99 kbit/s (45 MB an hour). Asked for 80 kbit/s, it searches each packet up to five
 * times for how to save: a fifth less in size for half as much work again, and noise 7 dB nearer to being heard (mean
 * noise-to-mask ratio of Kokoro's speech). AAC has 6 bits a sample at most (ISO/IEC 14496-3, 4.5.3.1).
 */
const nominalBitrate = (sampleRate: number): number => Math.min(128_000, Math.floor((sampleRate * 16) / 3));
const audioTrackId = 1;
const chapterTrackId = 2;
const spareBytes = 64;

/**
 * An audiobook in MP4 (brand `M4B `). The index (`moov`) stands before the sound, so that playing can start while the
 * file is still coming in: its size follows from the number of packets, which follows from the length, so its place is
 * kept free, the sound streamed behind it, and the index written there at the end. In memory are four bytes per packet
 * (340 kB per hour); the sound is never read again.
 *
 * The rate stays that of the voice: AAC takes it, and resampling would only add work and bytes.
 */
export async function openM4b(options: ProgrammeFileOptions): Promise<ProgrammeFile> {
  const { sink, sampleRate, lengthSamples, chapters, tags, cover } = options;
  const expectedPackets = Math.ceil((lengthSamples + aacPrimingSamples) / aacFrameSamples);
  const packetsPerChunk = Math.max(1, Math.round(sampleRate / aacFrameSamples));
  // Six bits a sample bound every AAC packet (6,144 bits per channel and 1,024 samples).
  const wide = expectedPackets * 768 + 2 ** 28 > 2 ** 32;
  const language = threeLetterLanguage(tags.language);
  const titles = chapters.map((chapter) => chapterSample(chapter.title));
  const titleBytes = join(...titles);
  let decoderConfig = aacLcMono(sampleRate);
  let packetSizes = new Uint32Array(expectedPackets);
  let packetCount = 0;
  let packetBytes = 0;
  let largestPacketBytes = 0;

  const moov = (titlesAt: number, chunkPositions: readonly number[], packets: number): Uint8Array => {
    const hasChapters = chapters.length > 0;
    const sound = audioTrak(audioTrackId, {
      sampleRate,
      lengthSamples,
      packetSizes,
      packetCount: packets,
      packetsPerChunk,
      chunkPositions,
      wide,
      language,
      decoderConfig,
      bitrate: Math.round((packetBytes * 8 * sampleRate) / Math.max(1, packets * aacFrameSamples)),
      largestPacketBytes,
      chapterTrack: hasChapters ? chapterTrackId : undefined,
    });
    const marks = hasChapters
      ? chapterTrak(chapterTrackId, {
          sampleRate,
          lengthSamples,
          chapters,
          sampleSizes: titles.map((title) => title.length),
          position: titlesAt,
          wide,
          language,
        })
      : join();
    const udta = box("udta", hasChapters ? chpl(chapters, sampleRate) : join(), metaBox(tags, cover));
    return box("moov", mvhd(sampleRate, lengthSamples, chapterTrackId + 1), sound, marks, udta);
  };

  const head = box("ftyp", latin1("M4B "), u32(0), latin1("M4B M4A mp42isom"));
  const chunks = Math.ceil(expectedPackets / packetsPerChunk);
  const reserved =
    moov(
      0,
      Array.from({ length: chunks }, () => 0),
      expectedPackets,
    ).length + spareBytes;
  await sink.append(head);
  await sink.append(new Uint8Array(reserved));
  // The long form of the size (1, then 64 bits) has room for every length.
  const mdatAt = sink.position;
  await sink.append(join(u32(1), latin1("mdat"), u64(0)));
  const titlesAt = sink.position;
  await sink.append(titleBytes);
  const chunkPositions: number[] = [];

  const encoder = await createAacEncoder({
    sampleRate,
    bitrate: nominalBitrate(sampleRate),
    onPacket: async (packet, description) => {
      if (description) decoderConfig = description;
      if (packetCount % packetsPerChunk === 0) chunkPositions.push(sink.position);
      if (packetCount === packetSizes.length) {
        const grown = new Uint32Array(packetSizes.length + 1024);
        grown.set(packetSizes);
        packetSizes = grown;
      }
      packetSizes[packetCount++] = packet.length;
      packetBytes += packet.length;
      largestPacketBytes = Math.max(largestPacketBytes, packet.length);
      await sink.append(packet);
    },
  });
  return {
    push: (pcm) => encoder.push(pcm),
    async finish() {
      await encoder.finish();
      const index = moov(titlesAt, chunkPositions, packetCount);
      const rest = reserved - index.length;
      if (packetCount !== expectedPackets || rest < 8)
        throw new AppError(
          "internal",
          `The AAC encoder gave ${packetCount} packets where ${lengthSamples} samples make ${expectedPackets}.`,
        );
      await sink.overwrite(head.length, join(index, box("free", new Uint8Array(rest - 8))));
      await sink.overwrite(mdatAt + 8, u64(sink.position - mdatAt));
    },
    close: () => encoder.close(),
  };
}

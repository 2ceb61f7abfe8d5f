import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ffmpegDecode, lacks } from "../testing/independent-readers.ts";
import { concatenate, syntheticSpeech } from "../testing/signals.ts";
import { createAacEncoder } from "./aac-lanes.ts";
import { aacFrameSamples, aacPrimingSamples } from "./mp4-audio-track.ts";
import { createPacketEncoder, type PacketEncoder, type PacketEncoderOptions } from "./packet-encoder.ts";

const sampleRate = 8_000;
const bitrate = 40_000;
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "katari-lanes-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Open = (options: Pick<PacketEncoderOptions, "onPacket">) => Promise<PacketEncoder>;
const lanes: Open = (options) => createAacEncoder({ sampleRate, bitrate, ...options });
const single: Open = (options) => createPacketEncoder({ codec: "aac", sampleRate, bitrate, ...options });

async function encode(open: Open, pcm: Float32Array, blockSamples: number): Promise<Uint8Array[]> {
  const packets: Uint8Array[] = [];
  const encoder = await open({
    onPacket: async (packet) => {
      // A slow disk: packets of later parts wait for their turn.
      await Promise.resolve();
      packets.push(packet);
    },
  });
  try {
    for (let at = 0; at < pcm.length; at += blockSamples) await encoder.push(pcm.subarray(at, at + blockSamples));
    await encoder.finish();
  } finally {
    await encoder.close();
  }
  return packets;
}

/** ADTS (ISO/IEC 13818-7, 6.2): AAC-LC, rate index 11 (8,000), one channel. */
const adts = (packets: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat(
    packets.flatMap((packet) => {
      const length = packet.length + 7;
      const header = [0xff, 0xf1, (1 << 6) | (11 << 2), (1 << 6) | (length >> 11), (length >> 3) & 255];
      return [Uint8Array.of(...header, ((length & 7) << 5) | 0x1f, 0xfc), packet];
    }),
  );

async function decode(name: string, packets: readonly Uint8Array[]): Promise<Float32Array> {
  const path = join(folder, `${name}.aac`);
  await writeFile(path, adts(packets));
  return ffmpegDecode(path);
}

/** Sentences of 2.3 s with 0.9 s of digital silence after each, and an end within a frame: some seams over 90 s. */
const sentenceSamples = 18_437;
const pauses = Array.from({ length: 28 }, (_, i) => 7_211 + (i % 3));
const speech = concatenate(
  pauses.map((pause, i) =>
    concatenate([syntheticSpeech(`s${i}`, sentenceSamples, sampleRate), new Float32Array(pause)]),
  ),
);
const packetCount = (samples: number) => Math.ceil(samples / aacFrameSamples) + 1;

/** Noise of the coding in dB below the signal, over a range of the stream. */
function noiseDb(pcm: Float32Array, decoded: Float32Array, from: number, to: number): number {
  let signal = 0;
  let noise = 0;
  for (let i = from; i < to; i++) {
    signal += (pcm[i] ?? 0) ** 2;
    noise += ((decoded[i + aacPrimingSamples] ?? 0) - (pcm[i] ?? 0)) ** 2;
  }
  return 10 * Math.log10(noise / signal);
}

describe("AAC in lanes", () => {
  it("gives as many packets as one encoder, and the same ones for blocks of any size", async () => {
    const packets = await encode(lanes, speech, 4096);
    expect(packets).toHaveLength(packetCount(speech.length));
    const again = await encode(lanes, speech, 7001);
    expect(Buffer.concat(again).equals(Buffer.concat(packets))).toBe(true);
  });

  it("gives exactly one encoder's packets where there is no silence to cut at, and for next to nothing", async () => {
    for (const pcm of [syntheticSpeech("whole", sampleRate * 15, sampleRate), speech.subarray(0, 700)]) {
      const packets = await encode(lanes, pcm, 4096);
      expect(packets).toHaveLength(packetCount(pcm.length));
      expect(Buffer.concat(packets).equals(Buffer.concat(await encode(single, pcm, 4096)))).toBe(true);
    }
  });

  it("passes on what the packets' taker throws, and ends", async () => {
    const encoder = await createAacEncoder({
      sampleRate,
      bitrate,
      onPacket: () => Promise.reject(new RangeError("no room")),
    });
    const writing = encoder.push(speech).then(() => encoder.finish());
    await expect(writing).rejects.toMatchObject({ cause: { message: "no room" } });
    await encoder.close();
  });

  describe("decoded by ffmpeg", () => {
    beforeEach(({ skip }) => skip(lacks("ffmpeg"), "ffmpeg is not installed"));
    it("sounds as from one encoder in every sentence, and is silent where the source is", async () => {
      const ours = await decode("lanes", await encode(lanes, speech, 4096));
      const theirs = await decode("single", await encode(single, speech, 4096));
      expect(ours.length).toBe(theirs.length);
      let start = 0;
      for (const pause of pauses) {
        const end = start + sentenceSamples;
        const coarser = noiseDb(speech, ours, start, end) - noiseDb(speech, theirs, start, end);
        // Each encoder's rate control has its own history, so sentences differ by some steps; a frame that is missing,
        // doubled or overlaps with the wrong one would lift the noise by 20 dB and more.
        expect(Math.abs(coarser)).toBeLessThan(4);
        // Two frames after the speech no packet holds any of it, until the next sentence's first frame.
        const quiet = ours.subarray(end + 3 * aacFrameSamples, end + pause - aacFrameSamples);
        expect(Math.max(...quiet.map(Math.abs))).toBeLessThan(1e-4);
        start = end + pause;
      }
    });
  });
});

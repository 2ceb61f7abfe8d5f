import { registerAacEncoder } from "@mediabunny/aac-encoder";
import { registerFlacEncoder } from "@mediabunny/flac-encoder";
import { registerMp3Encoder } from "@mediabunny/mp3-encoder";
import { AppError } from "@katari/core";
import {
  AdtsOutputFormat,
  AudioSample,
  AudioSampleSource,
  FlacOutputFormat,
  Mp3OutputFormat,
  NullTarget,
  Output,
  type OutputFormat,
} from "mediabunny";

export interface PacketEncoderOptions {
  readonly codec: "aac" | "mp3" | "flac";
  readonly sampleRate: number;
  /** Bits a second; not for FLAC. */
  readonly bitrate?: number;
  /** Is called in order and one at a time; encoding waits for it. */
  readonly onPacket: (packet: Uint8Array, description: Uint8Array | undefined) => Promise<void>;
}

export interface PacketEncoder {
  push(samples: Float32Array | Int16Array<ArrayBuffer>): Promise<void>;
  /** Hands over what is left and ends the worker thread. */
  finish(): Promise<void>;
  /** Ends the worker thread, whatever state it is in. Safe to call after `finish`, and twice. */
  close(): Promise<void>;
}

/**
 * One of mediabunny's encoders (libavcodec's AAC, LAME, libFLAC; each in a worker thread), giving bare packets. The
 * containers are our own: mediabunny's know no chapters and keep an entry for every packet until the end, so its output
 * goes nowhere. Throws `unsupported-format` for a rate the codec does not have.
 */
export async function createPacketEncoder(options: PacketEncoderOptions): Promise<PacketEncoder> {
  const { codec, sampleRate, bitrate, onPacket } = options;
  const found = codecs[codec];
  if (!found.rates.includes(sampleRate))
    throw new AppError("unsupported-format", `${codec.toUpperCase()} has no rate of ${sampleRate} samples a second.`, {
      cure: "Choose WAV, which takes every rate, or a voice of 16,000, 22,050, 24,000, 44,100 or 48,000.",
    });
  found.register();
  let handled: Promise<void> = Promise.resolve();
  let failure: unknown;
  const output = new Output({ format: found.format(), target: new NullTarget() });
  const source = new AudioSampleSource({
    codec,
    ...(bitrate === undefined ? {} : { bitrate }),
    onEncodedPacket: (packet, meta) => {
      const description = meta?.decoderConfig?.description;
      const bytes = description === undefined ? undefined : new Uint8Array(asBuffer(description));
      handled = handled
        .then(() => (failure === undefined ? onPacket(packet.data, bytes) : undefined))
        .catch((error: unknown) => {
          failure ??= error;
        });
    },
  });
  output.addAudioTrack(source);
  await output.start();
  let position = 0;
  let open = true;
  const settle = async () => {
    await handled;
    if (failure !== undefined) throw AppError.from(failure);
  };
  return {
    async push(samples) {
      if (samples.length === 0) return;
      const sample = new AudioSample({
        data: samples,
        format: samples instanceof Float32Array ? "f32" : "s16",
        numberOfChannels: 1,
        sampleRate,
        timestamp: position / sampleRate,
      });
      position += samples.length;
      try {
        await source.add(sample);
      } finally {
        sample.close();
      }
      await settle();
    },
    async finish() {
      await output.finalize();
      open = false;
      await settle();
    },
    async close() {
      if (!open) return;
      open = false;
      await output.cancel();
      await handled;
    },
  };
}

const asBuffer = (source: ArrayBufferLike | ArrayBufferView): ArrayBufferLike =>
  ArrayBuffer.isView(source)
    ? source.buffer.slice(source.byteOffset, source.byteOffset + source.byteLength)
    : source.slice(0);

/** Rates that both the codec and its encoder here have. */
const codecs: Readonly<
  Record<
    PacketEncoderOptions["codec"],
    { readonly rates: readonly number[]; readonly register: () => void; readonly format: () => OutputFormat }
  >
> = {
  aac: {
    rates: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
    register: registerAacEncoder,
    format: () => new AdtsOutputFormat(),
  },
  mp3: {
    rates: [16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
    register: registerMp3Encoder,
    format: () => new Mp3OutputFormat({ xingHeader: false }),
  },
  flac: {
    rates: [8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
    register: registerFlacEncoder,
    format: () => new FlacOutputFormat({ appendOnly: true }),
  },
};

import { AppError } from "@katari/core";
import { fromPcm16Bytes, pcm16Bytes, toPcm16 } from "./pcm16.ts";

const headerBytes = 44;
const largestWavBytes = 0xffff_ffff;

/** The 44 bytes before the samples of a 16-bit mono WAV (RIFF WAVE, format tag 1). `trailerBytes`: chunks after them. */
export function wavHeader(sampleRate: number, samples: number, trailerBytes = 0): Uint8Array {
  const dataBytes = samples * 2;
  if (headerBytes + dataBytes + trailerBytes - 8 > largestWavBytes)
    throw new AppError("too-large", "The programme is too long for a WAV file, which ends at 4 GB.", {
      cure: "Choose FLAC (lossless, no such limit) or M4B.",
    });
  const view = new DataView(new ArrayBuffer(headerBytes));
  const text = (at: number, value: string) => {
    for (let i = 0; i < value.length; i++) view.setUint8(at + i, value.charCodeAt(i));
  };
  text(0, "RIFF");
  view.setUint32(4, headerBytes - 8 + dataBytes + trailerBytes, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, dataBytes, true);
  return new Uint8Array(view.buffer);
}

/** A take at rest: 16-bit mono WAV with exact sizes and nothing after the samples. Rounding as in `toPcm16`. */
export function encodeWav(pcm: Float32Array, sampleRate: number): Uint8Array {
  if (!Number.isInteger(sampleRate) || sampleRate <= 0)
    throw new AppError("invalid-argument", `The sample rate ${sampleRate} is not a whole number above 0.`);
  const bytes = new Uint8Array(headerBytes + pcm.length * 2);
  bytes.set(wavHeader(sampleRate, pcm.length));
  bytes.set(pcm16Bytes(toPcm16(pcm)), headerBytes);
  return bytes;
}

/** A decoded WAV: mono samples, −1 … 1. */
export interface DecodedWav {
  readonly sampleRate: number;
  readonly pcm: Float32Array;
}

/**
 * Reads a 16-bit mono PCM WAV. Strict: every declared size must match the bytes that are there (a streamed header with
 * unknown sizes, a cut file and bytes after the end are refused). Other chunks are passed over by their size.
 * Throws `damaged-source` or `unsupported-format`.
 */
export function decodeWav(bytes: Uint8Array): DecodedWav {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < 12 || name(0) !== "RIFF" || name(8) !== "WAVE") throw damaged("it does not begin as one");
  const riffBytes = view.getUint32(4, true);
  if (riffBytes + 8 !== bytes.length)
    throw damaged(`its header says ${riffBytes + 8} bytes and there are ${bytes.length}`);
  let sampleRate: number | undefined;
  let samples: Float32Array | undefined;
  let at = 12;
  while (at < bytes.length) {
    if (at + 8 > bytes.length) throw damaged("there are loose bytes after its last part");
    const size = view.getUint32(at + 4, true);
    const body = at + 8;
    if (body + size > bytes.length) throw damaged(`its part '${name(at)}' is cut off`);
    if (name(at) === "fmt ") {
      if (size < 16) throw damaged("its format part is too short");
      if (view.getUint16(body, true) !== 1 || view.getUint16(body + 14, true) !== 16)
        throw unsupported("it is not 16-bit PCM");
      if (view.getUint16(body + 2, true) !== 1) throw unsupported("it is not mono");
      sampleRate = view.getUint32(body + 4, true);
      if (sampleRate === 0) throw damaged("its sample rate is 0");
    } else if (name(at) === "data") {
      if (sampleRate === undefined) throw damaged("its samples come before its format");
      if (samples) throw damaged("it has two blocks of samples");
      if (size % 2 !== 0) throw damaged("it ends in half a sample");
      samples = fromPcm16Bytes(bytes.subarray(body, body + size));
    }
    at = body + size + (size % 2);
  }
  if (sampleRate === undefined || !samples) throw damaged("it has no samples");
  return { sampleRate, pcm: samples };
}

const cure = "Convert the sentence again, so that its audio is written anew.";
const damaged = (what: string) => new AppError("damaged-source", `The WAV file is damaged: ${what}.`, { cure });
const unsupported = (what: string) =>
  new AppError("unsupported-format", `The WAV file cannot be used: ${what}.`, { cure });

import { AppError } from "@katari/core";

/**
 * Float samples to 16-bit: times 32,768, rounded to the nearest step (halves upwards), clamped to −32,768 … 32,767.
 * No dither: takes carry a noise floor far above the step, and equal input must give equal bytes.
 * Throws `audio-suspect` (retryable) on a sample that is not a finite number.
 */
export function toPcm16(pcm: Float32Array): Int16Array<ArrayBuffer> {
  const out = new Int16Array(pcm.length);
  for (let i = 0; i < pcm.length; i++) {
    const scaled = Math.round((pcm[i] ?? 0) * 32_768);
    if (!Number.isFinite(scaled))
      throw new AppError("audio-suspect", `The audio holds a value that is not a number at sample ${i}.`, {
        cure: "Convert the sentence again; if it stays, verify the voice with `katari voices verify`.",
        retryable: true,
      });
    out[i] = scaled > 32_767 ? 32_767 : scaled < -32_768 ? -32_768 : scaled;
  }
  return out;
}

/** 16-bit samples as little-endian bytes, whatever the machine's own order. */
export function pcm16Bytes(samples: Int16Array<ArrayBuffer>): Uint8Array {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  if (littleEndian) return bytes;
  const swapped = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i += 2) {
    swapped[i] = bytes[i + 1] ?? 0;
    swapped[i + 1] = bytes[i] ?? 0;
  }
  return swapped;
}

/** Little-endian 16-bit samples as floats, −1 … 1. */
export function fromPcm16Bytes(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const out = new Float32Array(Math.floor(bytes.length / 2));
  if (littleEndian && bytes.byteOffset % 2 === 0) {
    const samples = new Int16Array(bytes.buffer, bytes.byteOffset, out.length);
    for (let i = 0; i < out.length; i++) out[i] = (samples[i] ?? 0) / 32_768;
    return out;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < out.length; i++) out[i] = view.getInt16(i * 2, true) / 32_768;
  return out;
}

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

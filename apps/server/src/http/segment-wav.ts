import { createHash } from "node:crypto";
import { wavHeader } from "@katari/audio";
import { AppError, canonicalJson } from "@katari/core";
import type { ObjectStore } from "@katari/storage";
import type { SegmentAudio } from "../application.ts";
import type { Piece, SentFile } from "./stored-file.ts";

const bytesPerSample = 2;
/** Enough for the chunks that stand before the samples of any take. */
const probeBytes = 4_096;

/**
 * A WAV file of one segment, made of ranges of its takes without holding them: 16-bit mono samples are copied as they
 * lie in the store, behind one header. Its validator comes from the clips, whose objects are named by their content.
 *
 * @throws AppError `not-found` when a take is gone, `internal` when an object is not a 16-bit mono WAV.
 */
export async function segmentWav(store: ObjectStore, audio: SegmentAudio, signal: AbortSignal): Promise<SentFile> {
  const pieces: Piece[] = [];
  let sizeBytes = 0;
  for (const clip of audio.clips) {
    const head = await store.get(clip.audioKey, { range: [0, probeBytes], signal });
    const data = findSamples(head);
    const start = data.start + clip.startSamples * bytesPerSample;
    const end = data.start + clip.endSamples * bytesPerSample;
    if (start > end || end > data.start + data.sizeBytes)
      throw new AppError("internal", `A clip of ${clip.audioKey} lies outside its take.`);
    pieces.push({ objectKey: clip.audioKey, start, end });
    sizeBytes += end - start;
  }
  const etag = createHash("sha256").update(canonicalJson(audio)).digest("hex");
  return {
    pieces: [{ bytes: wavHeader(audio.sampleRate, sizeBytes / bytesPerSample) }, ...pieces],
    mediaType: "audio/wav",
    etag,
  };
}

/** Where the samples of a WAV begin and how many bytes they have, from the chunks at its head. */
function findSamples(head: Uint8Array): { start: number; sizeBytes: number } {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const name = (at: number): string => bytes.toString("latin1", at, at + 4);
  if (bytes.length < 12 || name(0) !== "RIFF" || name(8) !== "WAVE")
    throw new AppError("internal", "A take is not a WAV file.");
  let at = 12;
  let sixteenBitMono = false;
  while (at + 8 <= bytes.length) {
    const sizeBytes = bytes.readUInt32LE(at + 4);
    if (name(at) === "fmt " && at + 24 <= bytes.length)
      sixteenBitMono = bytes.readUInt16LE(at + 10) === 1 && bytes.readUInt16LE(at + 22) === 16;
    if (name(at) === "data") {
      if (!sixteenBitMono) break;
      return { start: at + 8, sizeBytes };
    }
    // Chunks are padded to even lengths.
    at += 8 + sizeBytes + (sizeBytes % 2);
  }
  throw new AppError("internal", "A take is not a 16-bit mono WAV file.");
}

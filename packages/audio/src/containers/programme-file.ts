import type { ProgrammeTags } from "@katari/core";
import type { Chapter } from "../chapters.ts";
import type { FileSink } from "./file-sink.ts";

/** Cover image, as it was found in the source. */
export interface Cover {
  readonly mediaType: "image/jpeg" | "image/png";
  readonly bytes: Uint8Array;
}

/** What a container has to know before the first sample. Positions are samples at `sampleRate`, the file's rate. */
export interface ProgrammeFileOptions {
  readonly sink: FileSink;
  readonly sampleRate: number;
  readonly lengthSamples: number;
  readonly chapters: readonly Chapter[];
  readonly tags: ProgrammeTags;
  readonly cover?: Cover;
}

/** A container being written. Exactly `lengthSamples` samples are pushed, then `finish` writes what was left open. */
export interface ProgrammeFile {
  push(pcm: Float32Array): Promise<void>;
  finish(): Promise<void>;
  /** Ends the encoder's worker thread. Safe after `finish`, and twice. Does not close the sink. */
  close(): Promise<void>;
}

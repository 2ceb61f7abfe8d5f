import { AppError, type Clip } from "@katari/core";
import type { ReadClip } from "./render-plan.ts";
import { decodeWav, type DecodedWav } from "./wav.ts";

export interface ClipReaderOptions {
  /** The programme's rate. A take of another rate is refused: played at this one it would change pitch and speed. */
  readonly sampleRate: number;
  /** Reads a take's WAV whole; takes are some seconds long. */
  readonly readWav: (audioKey: string, signal?: AbortSignal) => Promise<Uint8Array>;
}

const keptTakes = 4;

/**
 * Reads clips out of stored WAV takes. The last four takes stay decoded, since neighbouring segments often share one.
 * Throws `unsupported-format` for a take of another rate, `incomplete` for a clip outside its take, and what `readWav`
 * and `decodeWav` throw.
 */
export function createClipReader({ sampleRate, readWav }: ClipReaderOptions): ReadClip {
  const takes = new Map<string, Promise<DecodedWav>>();
  const take = (audioKey: string, signal?: AbortSignal): Promise<DecodedWav> => {
    const known = takes.get(audioKey);
    const reading = known ?? readWav(audioKey, signal).then(decodeWav);
    takes.delete(audioKey);
    takes.set(audioKey, reading);
    reading.catch(() => takes.delete(audioKey));
    for (const key of takes.keys()) {
      if (takes.size <= keptTakes) break;
      takes.delete(key);
    }
    return reading;
  };
  return async (clip: Clip, signal?: AbortSignal) => {
    const { sampleRate: takeRate, pcm } = await take(clip.audioKey, signal);
    if (takeRate !== sampleRate)
      throw new AppError(
        "unsupported-format",
        `The audio ${clip.audioKey} has ${takeRate} samples a second, the programme ${sampleRate}.`,
        { cure: "Use voices of one sample rate in a programme, or convert these sentences again with its voice." },
      );
    if (clip.endSamples > pcm.length)
      throw new AppError(
        "incomplete",
        `The audio ${clip.audioKey} ends at sample ${pcm.length}, before the planned ${clip.endSamples}.`,
        { cure: "Convert the sentence again, then export once more." },
      );
    return pcm.subarray(clip.startSamples, clip.endSamples);
  };
}

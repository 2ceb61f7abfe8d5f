import { takeSchema } from "@katari/contracts";
import { AppError, type Take } from "@katari/core";
import type { ObjectStore } from "@katari/storage";
import { parseJson, sha256Hex } from "./voice-shelf.ts";

export interface TakeArchive {
  /**
   * The take of a key, if it was rendered before and its audio is there. A record that cannot be read, or names audio
   * that is missing or has another size, counts as absent: the take is rendered anew and put over it.
   */
  find(key: string, parts: number, signal?: AbortSignal): Promise<Take | undefined>;
  /** Puts the audio, then the record that names it: whoever finds the record finds the audio. */
  save(take: Omit<Take, "audioKey">, wav: Uint8Array, signal?: AbortSignal): Promise<Take>;
}

const wavHeaderBytes = 44;
const recordKey = (key: string): string => `takes/${key}.json`;

/** Takes in the object store: `audio/<sha256>.wav` and, by take key, `takes/<key>.json`. */
export function createTakeArchive(store: ObjectStore): TakeArchive {
  return {
    async find(key, parts, signal) {
      const options = signal ? { signal } : {};
      let bytes: Uint8Array;
      try {
        bytes = await store.get(recordKey(key), options);
      } catch (error) {
        if (AppError.from(error).code === "not-found") return undefined;
        throw error;
      }
      const parsed = takeSchema.safeParse(parseJson(bytes));
      if (!parsed.success || parsed.data.key !== key || parsed.data.parts.length !== parts) return undefined;
      const take = parsed.data;
      const audio = /^audio\/[0-9a-f]{64}\.wav$/u.test(take.audioKey)
        ? await store.head(take.audioKey, options)
        : undefined;
      return audio?.sizeBytes === wavHeaderBytes + take.lengthSamples * 2 ? take : undefined;
    },

    async save(facts, wav, signal) {
      const options = signal ? { signal } : {};
      const take: Take = { ...facts, audioKey: `audio/${sha256Hex(wav)}.wav` };
      // Named by its content: what is there in full need not be written twice.
      const known = await store.head(take.audioKey, options);
      if (known?.sizeBytes !== wav.byteLength)
        await store.put(take.audioKey, wav, { contentType: "audio/wav", ...options });
      const record = new TextEncoder().encode(JSON.stringify(take));
      await store.put(recordKey(take.key), record, { contentType: "application/json", ...options });
      return take;
    },
  };
}

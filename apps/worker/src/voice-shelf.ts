import { createHash } from "node:crypto";
import { voiceManifestSchema, type VoiceManifest } from "@katari/contracts";
import { AppError } from "@katari/core";
import type { ObjectStore } from "@katari/storage";
import { createBoundedCache } from "./bounded-cache.ts";

export interface ShelvedVoice {
  readonly manifest: VoiceManifest;
  /** The whole speaker file. */
  readonly style: Float32Array;
}

export interface VoiceShelf {
  /**
   * The voice that is published as `voices/<voiceRef>/`. Throws AppError `voice-unavailable` when it is not there, and
   * `voice-damaged` when its files are not those that the reference and the manifest name.
   */
  get(voiceRef: string): Promise<ShelvedVoice>;
}

/** A speaker file has half a megabyte. */
const keptVoices = 32;
const cure = "Install the voice again with `katari voices add`.";

export const sha256Hex = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** Published voices, fetched once and checked by their digests. */
export function createVoiceShelf(store: ObjectStore): VoiceShelf {
  const cache = createBoundedCache<ShelvedVoice>(keptVoices);

  const fetchVoice = async (voiceRef: string): Promise<ShelvedVoice> => {
    const damaged = (what: string, cause?: unknown) =>
      new AppError("voice-damaged", `The voice ${voiceRef} is damaged: ${what}.`, { cure, cause });
    const fetchFile = async (name: string): Promise<Uint8Array> => {
      try {
        return await store.get(`voices/${voiceRef}/${name}`);
      } catch (error) {
        if (AppError.from(error).code !== "not-found") throw error;
        throw new AppError("voice-unavailable", `The voice ${voiceRef} is not in the store.`, { cure, cause: error });
      }
    };
    const bytes = await fetchFile("voice.json");
    const parsed = voiceManifestSchema.safeParse(parseJson(bytes));
    if (!parsed.success) throw damaged("its manifest cannot be read", parsed.error);
    const manifest = parsed.data;
    const digest = sha256Hex(bytes);
    if (voiceRef !== `${manifest.id}@${digest}`) throw damaged("its manifest is not the one that was published");
    const style = await fetchFile(manifest.style.file);
    if (sha256Hex(style) !== manifest.style.digest) throw damaged("its speaker file is not the one of the manifest");
    if (style.byteLength % 4 !== 0) throw damaged("its speaker file does not hold whole numbers");
    // A copy of its own: the bytes may lie unaligned in a larger buffer.
    return {
      manifest,
      style: new Float32Array(new Uint8Array(style).buffer),
    };
  };

  return { get: (voiceRef) => cache.get(voiceRef, () => fetchVoice(voiceRef)) };
}

/** `undefined` for what is not JSON: the schema then says no. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

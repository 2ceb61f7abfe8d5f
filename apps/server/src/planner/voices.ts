import { readFile } from "node:fs/promises";
import type { Rendering, Voice, VoiceManifest } from "@katari/contracts";
import { AppError, canonicalJson } from "@katari/core";
import type { ObjectStore } from "@katari/storage";
import { voiceFamily } from "@katari/voices/families";
import type { PinnedRendering } from "../dispatch/task-message.ts";
import type { PlannedVoice } from "./text-planner.ts";

/** An installed voice: what planning and publishing need of it. Paths are absolute. */
export interface LoadedVoice {
  readonly manifest: VoiceManifest;
  readonly stylePath: string;
  /** Files of the pronunciation data by language and role. */
  readonly pronunciation: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The voices of this machine, as the application sees them; `@katari/voices/catalogue` has them. */
export interface Voices {
  available(): readonly { readonly id: string; readonly title: string; readonly languages: readonly string[] }[];
  list(): Promise<
    readonly {
      readonly id: string;
      readonly title: string;
      readonly languages: readonly string[];
      readonly state: string;
      readonly licence: string;
    }[]
  >;
  /** Throws `unknown-voice` or `voice-damaged`. */
  load(id: string): Promise<LoadedVoice>;
}

/** All voices there are, the installed ones with their licence. */
export async function listVoices(voices: Voices): Promise<Voice[]> {
  const known = new Map<string, Voice>();
  for (const { id, title, languages } of voices.available())
    known.set(id, { id, title, languages: [...languages], installed: false, licence: "" });
  for (const { id, title, languages, state, licence } of await voices.list())
    known.set(id, { id, title, languages: [...languages], installed: state === "ready", licence });
  return [...known.values()];
}

/** `<id>@<digest>`, where the digest is that of the manifest as it is published. */
export function voiceRefOf(manifest: VoiceManifest, sha256: (text: string) => string): string {
  return `${manifest.id}@${sha256(canonicalJson(manifest))}`;
}

/** What a conversion with this voice pins. */
export function renderingOf(manifest: VoiceManifest, speed: number, sha256: (text: string) => string): PinnedRendering {
  const pinned: Omit<Rendering, "variant"> = {
    voiceRef: voiceRefOf(manifest, sha256),
    family: manifest.family,
    familyRevision: voiceFamily(manifest).revision,
    modelSourceDigest: manifest.model.sourceDigest,
    modelName: manifest.model.name,
    modelVersion: manifest.model.version,
    voiceId: manifest.id,
    // Not of the manifest: where its files lie and how the model is served changes no take.
    voiceDigest: manifest.style.digest,
    parameters: manifest.parameters,
    speed,
  };
  return pinned;
}

/** The voice as the text work sees it. */
export function plannedVoice({ manifest, pronunciation }: LoadedVoice, voiceRef: string): PlannedVoice {
  return {
    key: voiceRef,
    vocabulary: manifest.vocabulary,
    maxTokens: manifest.limits.maxTokens,
    pronunciation,
  };
}

/**
 * Puts a voice where workers look for it: its speaker data, then the manifest, whose presence says that all is there.
 * Doing it again costs one look.
 */
export async function publishVoice(
  store: ObjectStore,
  voice: LoadedVoice,
  voiceRef: string,
  signal?: AbortSignal,
): Promise<void> {
  const options = signal === undefined ? {} : { signal };
  const manifestKey = `voices/${voiceRef}/voice.json`;
  if ((await store.head(manifestKey, options)) !== undefined) return;
  const style = await readFile(voice.stylePath).catch((error: unknown) => {
    throw new AppError("voice-damaged", `The speaker data of the voice ${voice.manifest.id} cannot be read.`, {
      cure: `Install it again with \`katari voices add ${voice.manifest.id}\`.`,
      cause: error,
    });
  });
  await store.put(`voices/${voiceRef}/${voice.manifest.style.file}`, style, options);
  await store.put(manifestKey, new TextEncoder().encode(canonicalJson(voice.manifest)), {
    ...options,
    contentType: "application/json",
  });
}

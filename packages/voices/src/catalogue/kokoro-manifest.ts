import type { VoiceManifest } from "@katari/contracts";
import { attributionLine } from "./kokoro-attribution.ts";
import { timedModelDigest } from "./kokoro-assets.ts";
import { kokoroSpeakers } from "./kokoro-speakers.ts";
import { kokoroVocabulary } from "./kokoro-vocabulary.ts";

/** Names of files in a voice's folder. */
export const voiceFiles = {
  manifest: "voice.json",
  model: "model.onnx",
  published: "published.onnx",
  style: "speaker.bin",
} as const;

/** Language of an English Kokoro voice by the first letter of its id. */
export function kokoroLanguage(id: string): "en-US" | "en-GB" {
  return id.startsWith("b") ? "en-GB" : "en-US";
}

/** "af_heart" → "Heart (American English)". */
export function kokoroTitle(id: string): string {
  const name = id.slice(3);
  const accent = kokoroLanguage(id) === "en-GB" ? "British English" : "American English";
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} (${accent})`;
}

/** Dictionary files of a language in the shared folder, by role. */
export function kokoroPronunciation(id: string): Readonly<Record<string, string>> {
  const country = kokoroLanguage(id) === "en-GB" ? "gb" : "us";
  return {
    gold: `pronunciation/${country}_gold.json`,
    silver: `pronunciation/${country}_silver.json`,
    // The guesser speaks American; a British voice without it spells by rule instead of changing its accent.
    ...(country === "us" ? { guesser: "pronunciation/oov_bart_en_us.npz" } : {}),
  };
}

/** The manifest of an English Kokoro voice. */
export function kokoroManifest(options: {
  readonly id: string;
  readonly servedDigest: string;
  readonly pronunciation: Readonly<Record<string, string>>;
}): VoiceManifest {
  const { id, servedDigest } = options;
  const language = kokoroLanguage(id);
  return {
    v: 1,
    id,
    title: kokoroTitle(id),
    family: "kokoro",
    languages: [language],
    alphabet: "x-misaki",
    sampleRate: 24_000,
    samplesPerUnit: 600,
    limits: { maxTokens: 510, maxBatch: 1 },
    lane: "cpu",
    model: {
      name: "kokoro-82m-v1.0-int8",
      version: "1",
      sourceDigest: timedModelDigest,
      servedDigest,
      file: voiceFiles.model,
      inputs: { tokens: "tokens", style: "style", speed: "speed" },
      outputs: { audio: "audio", durations: "/encoder/Clip_output_0" },
    },
    style: { file: voiceFiles.style, digest: kokoroSpeakers.find((speaker) => speaker.id === id)?.sha256 ?? "" },
    vocabulary: { ...kokoroVocabulary },
    pronunciation: { [language]: { ...options.pronunciation } },
    licence: { spdx: "Apache-2.0", attribution: attributionLine },
    accent: false,
    parameters: {},
  };
}

import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { VoiceManifest } from "@katari/contracts";
import { AppError } from "@katari/core";
import type { Voices } from "../planner/voices.ts";

const symbols = Array.from(
  ';:,.!?—…"()“” ʣʥʦʨᵝAIOQSTWYᵊabcdefhijklmnopqrstuvwxyzɑɐɒæβɔɕçɖðʤəɚɛɜɟɡɥɨɪʝɯɰŋɳɲɴøɸθœɹɾɻʁɽʂʃʈʧʊʋʌɣɤχʎʒʔˈˌːʰʲ↓→↗↘ᵻ',
);

/** A voice without a model, for tests that play the worker themselves: only what planning needs of it is true. */
export async function handVoice(folder: string): Promise<{ voices: Voices; manifest: VoiceManifest }> {
  const style = new Uint8Array(510 * 256 * 4);
  const digest = createHash("sha256").update(style).digest("hex");
  await mkdir(folder, { recursive: true });
  const stylePath = join(folder, "speaker.bin");
  await writeFile(stylePath, style);
  const manifest: VoiceManifest = {
    v: 1,
    id: "hand",
    title: "Hand",
    family: "kokoro",
    languages: ["en-US"],
    alphabet: "x-misaki",
    sampleRate: 24_000,
    samplesPerUnit: 600,
    limits: { maxTokens: 510, maxBatch: 1 },
    lane: "cpu",
    model: {
      name: "hand",
      version: "1",
      sourceDigest: "a".repeat(64),
      servedDigest: "b".repeat(64),
      file: "model.onnx",
      inputs: { tokens: "tokens", style: "style", speed: "speed" },
      outputs: { audio: "audio", durations: "durations" },
    },
    style: { file: "speaker.bin", digest },
    vocabulary: Object.fromEntries(symbols.map((symbol, index) => [symbol, index + 1])),
    pronunciation: { "en-US": {} },
    licence: { spdx: "CC0-1.0", attribution: "Voice: nobody." },
    accent: false,
    parameters: {},
  };
  const about = { id: manifest.id, title: manifest.title, languages: manifest.languages };
  return {
    manifest,
    voices: {
      available: () => [about],
      list: async () => [{ ...about, state: "ready", licence: "Apache-2.0" }],
      load(id) {
        if (id === manifest.id) return Promise.resolve({ manifest, stylePath, pronunciation: { "en-US": {} } });
        return Promise.reject(new AppError("unknown-voice", `There is no voice ${id}.`));
      },
    },
  };
}

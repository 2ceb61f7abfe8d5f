import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { VoiceManifest } from "@katari/contracts";
import { kokoroVocabulary } from "@katari/voices/catalogue";
import { toneModel, toneModelNames } from "./tone-model.ts";
import { unitSamples } from "./tone-tables.ts";

const styleRows = 510;
const styleWidth = 256;

/**
 * Writes the voice `test` into a folder as an installed voice lies there: `voice.json`, `model.onnx`, `speaker.bin`.
 * It is a Kokoro voice in everything but the sound (`toneModel`), has no pronunciation data (letter-to-sound rules
 * answer), and is deterministic to the byte. Row n of its speaker file begins with n / 5100, which the model turns
 * into loudness: a take made with a wrong row has another level.
 */
export async function writeTestVoice(folder: string): Promise<VoiceManifest> {
  const model = toneModel();
  const style = speakerData();
  const manifest: VoiceManifest = {
    v: 1,
    id: "test",
    title: "Test tones",
    family: "kokoro",
    languages: ["en-US"],
    alphabet: "x-misaki",
    sampleRate: 24_000,
    samplesPerUnit: unitSamples,
    limits: { maxTokens: 510, maxBatch: 1 },
    lane: "cpu",
    model: {
      name: "test-tones",
      version: "1",
      sourceDigest: sha256(model),
      servedDigest: sha256(model),
      file: "model.onnx",
      inputs: toneModelNames.inputs,
      outputs: toneModelNames.outputs,
    },
    style: { file: "speaker.bin", digest: sha256(style) },
    vocabulary: { ...kokoroVocabulary },
    pronunciation: {},
    licence: { spdx: "Apache-2.0", attribution: "Made by Katari's own code." },
    accent: false,
    parameters: {},
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, manifest.model.file), model);
  await writeFile(join(folder, manifest.style.file), style);
  await writeFile(join(folder, "voice.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

function speakerData(): Uint8Array {
  const bytes = new Uint8Array(styleRows * styleWidth * 4);
  const view = new DataView(bytes.buffer);
  for (let row = 0; row < styleRows; row++) view.setFloat32(row * styleWidth * 4, row / 5100, true);
  return bytes;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

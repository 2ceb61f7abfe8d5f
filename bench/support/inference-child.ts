/**
 * One process of the bare loop: ONNX Runtime and nothing else. Gets a model and utterances over IPC, answers with the
 * seconds of the runs and the hash of each audio as the product would store it (16-bit WAV).
 */
import { encodeWav } from "@katari/audio";
import type { VoiceManifest } from "@katari/contracts";
import { AppError } from "@katari/core";
import { voiceFamily } from "@katari/voices/families";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { InferenceSession, Tensor } from "onnxruntime-node";

export interface InferenceJob {
  readonly modelPath: string;
  readonly stylePath: string;
  readonly manifest: VoiceManifest;
  readonly threads: number;
  readonly speed: number;
  readonly phonemes: readonly string[];
}

export interface InferenceReport {
  readonly seconds: number;
  readonly samples: number;
  /** sha256 of each utterance's WAV, in order. */
  readonly hashes: readonly string[];
}

process.once("message", (job: InferenceJob) => void load(job));
process.on("disconnect", () => process.exit(0));

async function load(job: InferenceJob): Promise<void> {
  const session = await InferenceSession.create(job.modelPath, {
    intraOpNumThreads: job.threads,
    interOpNumThreads: 1,
    enableMemPattern: false,
    graphOptimizationLevel: "all",
  });
  const bytes = await readFile(job.stylePath);
  const style = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const { manifest, speed } = job;
  const { audio } = manifest.model.outputs;
  const speak = async (phonemes: string): Promise<Float32Array> => {
    const { inputs } = voiceFamily(manifest).prepare({ phonemes, speed, manifest, style });
    const feeds = Object.fromEntries(inputs.map((input) => [input.name, toOrt(input)]));
    const outputs = await session.run(feeds);
    return outputs[audio]?.data as Float32Array;
  };
  // Warm: the first run of a session allocates.
  const [first] = job.phonemes;
  if (first !== undefined) await speak(first);
  process.once("message", () => void measure(job, speak));
  process.send?.({ ready: true });
}

async function measure(job: InferenceJob, speak: (phonemes: string) => Promise<Float32Array>): Promise<void> {
  const audios: Float32Array[] = [];
  const startedAt = process.hrtime.bigint();
  for (const phonemes of job.phonemes) audios.push(await speak(phonemes));
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
  const samples = audios.reduce((sum, pcm) => sum + pcm.length, 0);
  const { sampleRate } = job.manifest;
  const hashes = audios.map((pcm) => createHash("sha256").update(encodeWav(pcm, sampleRate)).digest("hex"));
  process.send?.({ seconds, samples, hashes } satisfies InferenceReport);
}

function toOrt(input: { datatype: string; shape: readonly number[]; data: Uint8Array }): Tensor {
  const { buffer, byteOffset, byteLength } = input.data;
  const copy = buffer.slice(byteOffset, byteOffset + byteLength);
  if (input.datatype === "INT64") return new Tensor("int64", new BigInt64Array(copy), [...input.shape]);
  if (input.datatype === "FP32") return new Tensor("float32", new Float32Array(copy), [...input.shape]);
  throw new AppError("internal", `The bare loop knows no tensors of ${input.datatype}.`);
}

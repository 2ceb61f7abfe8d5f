import { z } from "zod";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Lanes that a speech task can take; the manifest names the pool's half, dispatch adds `interactive` or `bulk`. */
export const laneSchema = z.enum(["cpu", "gpu"]);
export type Lane = z.infer<typeof laneSchema>;

/**
 * An installed voice: what the planner, the worker and the model server must know of it. It lies as `voice.json` in
 * the voice's folder; file names are relative to that folder.
 */
export const voiceManifestSchema = z.object({
  v: z.literal(1),
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
  title: z.string(),
  family: z.enum(["kokoro"]),
  languages: z.array(z.string()).min(1),
  /** Alphabet of the voice input: `x-misaki` for Kokoro. */
  alphabet: z.string(),
  sampleRate: z.int().positive(),
  /** Samples of one duration unit of the model. */
  samplesPerUnit: z.int().positive(),
  limits: z.object({ maxTokens: z.int().positive(), maxBatch: z.int().positive() }),
  lane: laneSchema,
  model: z.object({
    name: z.string(),
    version: z.string(),
    /** sha256 of the model as published (timings exposed): part of the take key. */
    sourceDigest: sha256,
    /** sha256 of the file that is really served; differs when the graph was rewritten for speed. */
    servedDigest: sha256,
    file: z.string(),
    inputs: z.object({ tokens: z.string(), style: z.string(), speed: z.string() }),
    outputs: z.object({ audio: z.string(), durations: z.string() }),
  }),
  /** Speaker data: 510 × 256 float32 for Kokoro. */
  style: z.object({ file: z.string(), digest: sha256 }),
  /** Symbol → token id. */
  vocabulary: z.record(z.string(), z.int().nonnegative()),
  /**
   * Pronunciation data by language tag (BCP 47), then by role: files that the text stage loads. Roles: `gold` and
   * `silver` (dictionaries, checked and unchecked), `guesser` (a model for words that neither has; optional).
   */
  pronunciation: z.record(z.string(), z.record(z.string(), z.string())),
  licence: z.object({ spdx: z.string(), attribution: z.string() }),
  accent: z.boolean(),
  parameters: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
});
export type VoiceManifest = z.infer<typeof voiceManifestSchema>;

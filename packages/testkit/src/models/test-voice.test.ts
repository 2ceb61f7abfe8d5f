import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { voiceManifestSchema, type Tensor, type VoiceManifest } from "@katari/contracts";
import { voiceFamily } from "@katari/voices/families";
import { InferenceSession, Tensor as OnnxTensor } from "onnxruntime-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeTestVoice } from "./test-voice.ts";
import { tokenHz } from "./tone-tables.ts";

let folder: string;
let manifest: VoiceManifest;
let session: InferenceSession;
let style: Float32Array;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "katari-test-voice-"));
  manifest = await writeTestVoice(folder);
  session = await InferenceSession.create(join(folder, manifest.model.file));
  style = new Float32Array(new Uint8Array(await readFile(join(folder, manifest.style.file))).buffer);
});
afterAll(() => rm(folder, { recursive: true }));

function feed(tensor: Tensor): OnnxTensor {
  const bytes = Uint8Array.from(tensor.data);
  return tensor.datatype === "INT64"
    ? new OnnxTensor("int64", new BigInt64Array(bytes.buffer), tensor.shape)
    : new OnnxTensor("float32", new Float32Array(bytes.buffer), tensor.shape);
}

async function speak(phonemes: string, speed = 1): Promise<{ audio: Float32Array; durations: number[] }> {
  const { inputs } = voiceFamily(manifest).prepare({ phonemes, speed, manifest, style });
  const answer = await session.run(Object.fromEntries(inputs.map((input) => [input.name, feed(input)])));
  const { audio, durations } = manifest.model.outputs;
  const numbers = (name: string): Float32Array => answer[name]?.data as Float32Array;
  return { audio: numbers(audio), durations: [...numbers(durations)] };
}

/** Strength of a frequency in some samples: the length of their projection on sine and cosine. */
function strength(samples: Float32Array, hz: number): number {
  let [sine, cosine] = [0, 0];
  for (const [at, value] of samples.entries()) {
    sine += value * Math.sin((2 * Math.PI * hz * at) / manifest.sampleRate);
    cosine += value * Math.cos((2 * Math.PI * hz * at) / manifest.sampleRate);
  }
  return Math.hypot(sine, cosine) / samples.length;
}

const rms = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);

describe("the test voice", () => {
  it("is an installed voice: its manifest is valid and names what lies beside it", async () => {
    const written: unknown = JSON.parse(await readFile(join(folder, "voice.json"), "utf8"));
    expect(voiceManifestSchema.parse(written)).toEqual(manifest);
    for (const [file, digest] of [
      [manifest.model.file, manifest.model.servedDigest],
      [manifest.style.file, manifest.style.digest],
    ] as const)
      expect(
        createHash("sha256")
          .update(await readFile(join(folder, file)))
          .digest("hex"),
      ).toBe(digest);
    expect(style).toHaveLength(510 * 256);
  });

  it("is the same to the byte when it is written again", async () => {
    expect(await writeTestVoice(join(folder, "again"))).toEqual(manifest);
  });

  it("makes 600 samples for every unit, with durations for every symbol and both pads", async () => {
    // Pads 12 units each; h is id 50 and ə id 83: 2 + 50 % 3 = 4 and 2 + 83 % 3 = 4; the full stop 8, the space 2.
    const { audio, durations } = await speak("h ə.");
    expect(durations).toEqual([12, 4, 2, 4, 8, 12]);
    expect(audio).toHaveLength(600 * 42);
  });

  it("sounds in every letter with its own tone, and is silent in punctuation, spaces and at both ends", async () => {
    const { audio, durations } = await speak("h ə.");
    const edges = durations.reduce<number[]>((all, units) => [...all, (all.at(-1) ?? 0) + units * 600], [0]);
    const part = (at: number): Float32Array => audio.subarray(edges[at], edges[at + 1]);
    for (const silent of [0, 2, 4, 5]) expect(rms(part(silent))).toBe(0);
    for (const [at, own, other] of [
      [1, 50, 83],
      [3, 83, 50],
    ] as const) {
      expect(rms(part(at))).toBeGreaterThan(0.1);
      expect(strength(part(at), tokenHz(own))).toBeGreaterThan(20 * strength(part(at), tokenHz(other)));
    }
    // Softly in and out: no step that would click.
    const steps = audio.subarray(1).map((value, at) => Math.abs(value - (audio[at] ?? 0)));
    expect(Math.abs(audio[edges[1] ?? 0] ?? 1)).toBe(0);
    expect(Math.max(...steps)).toBeLessThan(0.31);
  });

  it("is faster at a higher speed, but never skips a symbol", async () => {
    // 12/2, 4/2, 2/2, 4/2, 8/2, 12/2; then at 20: 0.6 → 1, 0.2 → 0 → 1, …
    expect((await speak("h ə.", 2)).durations).toEqual([6, 2, 1, 2, 4, 6]);
    expect((await speak("h ə.", 20)).durations).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it("is louder with a later row of the speaker file, as the family chooses it", async () => {
    const short = await speak("hh");
    const long = await speak("h".repeat(511 - 1));
    const peak = ({ audio }: { audio: Float32Array }): number => audio.reduce((top, value) => Math.max(top, value), 0);
    // Rows 1 and 509: gains 1 + 1/5100 and 1 + 509/5100. The same tone, so the peaks are in that ratio.
    expect(peak(long) / peak(short)).toBeCloseTo((1 + 509 / 5100) / (1 + 1 / 5100), 4);
  });

  it("gives what the family can interpret", async () => {
    const { inputs } = voiceFamily(manifest).prepare({ phonemes: "həlO", speed: 1, manifest, style });
    const answer = await session.run(Object.fromEntries(inputs.map((input) => [input.name, feed(input)])));
    const outputs = Object.entries(answer).map(([name, value]): Tensor => {
      const data = value.data as Float32Array;
      return {
        name,
        datatype: "FP32",
        shape: [...value.dims],
        data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
      };
    });
    const parts = [{ start: 0, end: 4, words: [[0, 4] as const] }];
    const take = voiceFamily(manifest).interpret(outputs, { manifest, phonemes: "həlO", parts });
    expect(take.parts[0]?.endSamples).toBe(take.pcm.length);
  });
});

import type { Tensor, VoiceManifest } from "@katari/contracts";
import { AppError } from "@katari/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kokoroFamily, type FamilyPart } from "./index.ts";

const digest = "0".repeat(64);
const manifest: VoiceManifest = {
  v: 1,
  id: "made-up",
  title: "Made up",
  family: "kokoro",
  languages: ["en-US"],
  alphabet: "x-misaki",
  sampleRate: 24_000,
  samplesPerUnit: 600,
  limits: { maxTokens: 510, maxBatch: 1 },
  lane: "cpu",
  model: {
    name: "m",
    version: "1",
    sourceDigest: digest,
    servedDigest: digest,
    file: "m.onnx",
    inputs: { tokens: "tokens", style: "style", speed: "speed" },
    outputs: { audio: "audio", durations: "durations" },
  },
  style: { file: "s", digest },
  vocabulary: { a: 43, b: 44, " ": 16, ".": 4, "\u{1F600}": 5 },
  pronunciation: {},
  licence: { spdx: "Apache-2.0", attribution: "" },
  accent: false,
  parameters: {},
};
/** Every number of a row is the row's number. */
const style = Float32Array.from({ length: 510 * 256 }, (_, at) => Math.floor(at / 256));

const floats = (tensor: Tensor | undefined): Float32Array =>
  new Float32Array(new Uint8Array(tensor?.data ?? []).buffer);
const integers = (tensor: Tensor | undefined): number[] =>
  Array.from(new BigInt64Array(new Uint8Array(tensor?.data ?? []).buffer), Number);
const tensor = (name: string, values: Float32Array): Tensor => ({
  name,
  datatype: "FP32",
  shape: [values.length],
  data: new Uint8Array(values.buffer),
});
const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error.code;
  }
  return "none";
};

describe("Kokoro's input", () => {
  it("puts a pad at both ends and takes the style row of the number of tokens", () => {
    const { inputs, tokenCount } = kokoroFamily.prepare({ phonemes: "ab a.", speed: 1.25, manifest, style });
    const [tokens, row, speed] = inputs;
    expect(tokenCount).toBe(5);
    expect(tokens).toMatchObject({ name: "tokens", datatype: "INT64", shape: [1, 7] });
    expect(integers(tokens)).toEqual([0, 43, 44, 16, 43, 4, 0]);
    expect(row).toMatchObject({ name: "style", datatype: "FP32", shape: [1, 256] });
    expect(new Set(floats(row))).toEqual(new Set([4]));
    expect(speed).toMatchObject({ name: "speed", datatype: "FP32", shape: [1] });
    expect([...floats(speed)]).toEqual([1.25]);
  });

  it("uses the first row for one token and the last for 510", () => {
    for (const [count, row] of [
      [1, 0],
      [510, 509],
    ] as const) {
      const { inputs } = kokoroFamily.prepare({ phonemes: "a".repeat(count), speed: 1, manifest, style });
      expect(floats(inputs[1])[0]).toBe(row);
    }
  });

  it("names the symbol that the voice lacks and where it stands, counted in code points", () => {
    const attempt = (): unknown => kokoroFamily.prepare({ phonemes: "a\u{1F600}ʭ", speed: 1, manifest, style });
    expect(attempt).toThrow(/"ʭ" \(position 2/u);
    expect(codeOf(attempt)).toBe("invalid-argument");
  });

  it("refuses nothing to say, too much to say, and a speed that is none", () => {
    const prepare = (phonemes: string, speed: number) => () =>
      kokoroFamily.prepare({ phonemes, speed, manifest, style });
    expect(codeOf(prepare("", 1))).toBe("invalid-argument");
    expect(codeOf(prepare("a".repeat(511), 1))).toBe("too-large");
    expect(codeOf(prepare("a", 0))).toBe("invalid-argument");
    expect(codeOf(prepare("a", Number.NaN))).toBe("invalid-argument");
  });
});

interface MadeUp {
  readonly phonemes: string;
  readonly parts: readonly FamilyPart[];
  readonly units: readonly number[];
}

/** An utterance of parts of words, with any durations: words of letters with spaces between, a stop after each part. */
const utterances: fc.Arbitrary<MadeUp> = fc
  .array(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
  .chain((shape) => {
    let phonemes = "";
    const parts = shape.map((lengths) => {
      if (phonemes !== "") phonemes += " ";
      const start = phonemes.length;
      const words = lengths.map((length, at): [number, number] => {
        if (at > 0) phonemes += " ";
        const from = phonemes.length;
        phonemes += "a".repeat(length);
        return [from, phonemes.length];
      });
      phonemes += ".";
      return { start, end: phonemes.length, words };
    });
    return fc
      .array(fc.integer({ min: 0, max: 12 }), { minLength: phonemes.length + 2, maxLength: phonemes.length + 2 })
      .map((units) => ({ phonemes, parts, units }));
  });

describe("Kokoro's output", () => {
  it("tiles the take with parts, and puts words where their symbols' durations are", () => {
    fc.assert(
      fc.property(utterances, fc.integer(), ({ phonemes, parts, units }, seed) => {
        const total = units.reduce((sum, unit) => sum + unit, 0) * 600;
        const audio = Float32Array.from({ length: total }, (_, at) => Math.sin(at * (1 + (seed % 7))));
        const result = kokoroFamily.interpret([tensor("durations", Float32Array.from(units)), tensor("audio", audio)], {
          manifest,
          phonemes,
          parts,
        });
        // Symbol k begins after the leading pad and the k symbols before it.
        const begins = (symbol: number): number =>
          units.slice(0, symbol + 1).reduce((sum, unit) => sum + unit, 0) * 600;
        expect(Buffer.from(result.pcm.buffer).equals(Buffer.from(audio.buffer))).toBe(true);
        expect(result.parts[0]?.startSamples).toBe(0);
        expect(result.parts.at(-1)?.endSamples).toBe(total);
        for (const [at, part] of result.parts.entries()) {
          expect(part.words).toEqual(parts[at]?.words.map(([from, to]) => [begins(from), begins(to)]));
          const next = result.parts[at + 1];
          if (!next) continue;
          expect(part.endSamples).toBe(next.startSamples);
          // The boundary lies in the time of the stop and the space.
          expect(part.endSamples).toBeGreaterThanOrEqual(part.words.at(-1)?.[1] ?? 0);
          expect(part.endSamples).toBeLessThanOrEqual(next.words[0]?.[0] ?? total);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("parts the take where it is quietest", () => {
    // "a. a": units 1 each; the stop and the space last from 1200 to 2400, silent from 1900 to 2100 only.
    const audio = new Float32Array(3600).fill(0.5);
    audio.fill(0, 1900, 2100);
    const { parts } = kokoroFamily.interpret(
      [tensor("audio", audio), tensor("durations", new Float32Array(6).fill(1))],
      {
        manifest,
        phonemes: "a. a",
        parts: [
          { start: 0, end: 2, words: [[0, 1]] },
          { start: 3, end: 4, words: [[3, 4]] },
        ],
      },
    );
    expect(parts[0]?.endSamples).toBeGreaterThan(1900);
    expect(parts[0]?.endSamples).toBeLessThan(2100);
  });

  it("refuses outputs that contradict each other", () => {
    const one = [{ start: 0, end: 1, words: [] }];
    const interpret = (outputs: Tensor[]) => () =>
      kokoroFamily.interpret(outputs, { manifest, phonemes: "a", parts: one });
    const audio = tensor("audio", new Float32Array(1800));
    const good = tensor("durations", Float32Array.of(1, 1, 1));
    expect(codeOf(interpret([audio, good]))).toBe("none");
    expect(codeOf(interpret([tensor("audio", new Float32Array(1799)), good]))).toBe("model-failed");
    expect(codeOf(interpret([audio, tensor("durations", Float32Array.of(1, 2))]))).toBe("model-failed");
    expect(codeOf(interpret([audio, tensor("durations", Float32Array.of(1, 1.5, 0.5))]))).toBe("model-failed");
    expect(codeOf(interpret([audio, tensor("durations", Float32Array.of(4, -1, 0))]))).toBe("model-failed");
    expect(codeOf(interpret([audio]))).toBe("model-failed");
    expect(codeOf(interpret([{ ...audio, datatype: "INT32" }, good]))).toBe("model-failed");
  });

  it("refuses parts that do not lie in order", () => {
    const outputs = [tensor("audio", new Float32Array(2400)), tensor("durations", new Float32Array(4).fill(1))];
    const interpret = (parts: FamilyPart[]) => () =>
      kokoroFamily.interpret(outputs, { manifest, phonemes: "aa", parts });
    expect(codeOf(interpret([]))).toBe("invalid-argument");
    expect(codeOf(interpret([{ start: 0, end: 3, words: [] }]))).toBe("invalid-argument");
    expect(
      codeOf(
        interpret([
          {
            start: 0,
            end: 2,
            words: [
              [1, 2],
              [0, 1],
            ],
          },
        ]),
      ),
    ).toBe("invalid-argument");
  });
});

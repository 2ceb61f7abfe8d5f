import type { Tensor, VoiceManifest } from "@katari/contracts";
import { AppError } from "@katari/core";
import type { FamilyPart, SoundedPart, VoiceFamily } from "./family.ts";
import { quietestPoint } from "./quietest-point.ts";
import { floatTensorOf, floatsOf, int64TensorOf } from "./tensor-values.ts";

/** Numbers in one row of a speaker file; row n−1 is made for n tokens. */
const styleWidth = 256;

/** The id that stands before and after the tokens. */
const padId = 0;

/**
 * Kokoro v1.0 (https://github.com/hexgrad/kokoro). Tokens int64 [1, N + 2] with a pad at both ends, style float32
 * [1, 256], speed float32 [1]; audio float32 and, for every id, its duration in units of `samplesPerUnit` samples.
 */
export const kokoroFamily: VoiceFamily = {
  revision: 1,

  prepare({ phonemes, speed, manifest, style }) {
    const tokens = tokensOf(phonemes, manifest);
    if (!Number.isFinite(speed) || speed <= 0)
      throw new AppError("invalid-argument", `The speed ${speed} is not a number above 0.`, {
        cure: "Choose a speed between 0.5 and 2.",
      });
    const { inputs } = manifest.model;
    return {
      inputs: [
        int64TensorOf(inputs.tokens, [1, tokens.length + 2], [padId, ...tokens, padId]),
        floatTensorOf(inputs.style, [1, styleWidth], styleRow(style, tokens.length)),
        floatTensorOf(inputs.speed, [1], Float32Array.of(speed)),
      ],
      tokenCount: tokens.length,
    };
  },

  interpret(outputs, { manifest, phonemes, parts }) {
    const pcm = floatsOf(outputNamed(outputs, manifest.model.outputs.audio));
    const durations = floatsOf(outputNamed(outputs, manifest.model.outputs.durations));
    const symbolCount = Array.from(phonemes).length;
    const edges = symbolEdges(durations, symbolCount, manifest.samplesPerUnit);
    const heard = edges[symbolCount + 2];
    if (heard !== pcm.length) throw failed(`its durations make ${heard} samples, its audio has ${pcm.length}`);
    return { pcm, parts: soundedParts(pcm, edges, parts, symbolCount) };
  },
};

/** Token ids of the phonemes' symbols (code points). */
function tokensOf(phonemes: string, manifest: VoiceManifest): number[] {
  const symbols = Array.from(phonemes);
  if (symbols.length === 0)
    throw new AppError("invalid-argument", "There is nothing to say: the phonemes are empty.", {
      cure: "Leave the utterance out.",
    });
  const { maxTokens } = manifest.limits;
  if (symbols.length > maxTokens)
    throw new AppError(
      "too-large",
      `The utterance has ${symbols.length} symbols; the voice ${manifest.id} takes ${maxTokens} at once.`,
      { cure: "Split the sentence.", details: { symbols: symbols.length, maxTokens } },
    );
  return symbols.map((symbol, position) => {
    const id = Object.hasOwn(manifest.vocabulary, symbol) ? manifest.vocabulary[symbol] : undefined;
    if (id !== undefined) return id;
    throw new AppError(
      "invalid-argument",
      `The voice ${manifest.id} has no symbol ${JSON.stringify(symbol)} (position ${position} of the phonemes).`,
      { cure: "Correct the pronunciation of the word that holds it.", details: { symbol, position } },
    );
  });
}

/** The row that fits so many tokens. A fixed row makes short items unintelligible, so exactly this one is taken. */
function styleRow(style: Float32Array, tokenCount: number): Float32Array {
  const rows = Math.floor(style.length / styleWidth);
  if (rows === 0 || style.length % styleWidth !== 0)
    throw new AppError("voice-damaged", "The voice's speaker file has a wrong length.", {
      cure: "Install the voice again with `katari voices add`.",
    });
  const row = Math.min(Math.max(tokenCount - 1, 0), rows - 1, 509);
  return style.subarray(row * styleWidth, (row + 1) * styleWidth);
}

function outputNamed(outputs: readonly Tensor[], name: string): Tensor {
  const found = outputs.find((tensor) => tensor.name === name);
  if (!found) throw failed(`it gave no output ${name}`);
  return found;
}

/**
 * Sample at which every id begins; ids are the leading pad, the symbols, the trailing pad. One edge more than ids: the
 * last is the length of the take.
 */
function symbolEdges(durations: Float32Array, symbolCount: number, samplesPerUnit: number): number[] {
  if (durations.length !== symbolCount + 2)
    throw failed(`it gave ${durations.length} durations for ${symbolCount + 2} ids`);
  const edges = [0];
  let samples = 0;
  for (const [at, units] of durations.entries()) {
    if (!Number.isInteger(units) || units < 0) throw failed(`duration ${at} is ${units}`);
    samples += units * samplesPerUnit;
    edges.push(samples);
  }
  return edges;
}

/**
 * Puts the parts on samples. The first begins at 0 (with the silence before the first word), the last ends with the
 * take, and two parts meet at the quietest point between the last word of one and the first word of the next.
 */
function soundedParts(
  pcm: Float32Array,
  edges: readonly number[],
  parts: readonly FamilyPart[],
  symbolCount: number,
): SoundedPart[] {
  checkParts(parts, symbolCount);
  // Symbol k is id k + 1.
  const startOf = (symbol: number): number => edges[symbol + 1] ?? 0;
  const boundaries = [0];
  for (const [at, part] of parts.entries()) {
    const next = parts[at + 1];
    if (!next) break;
    const quietFrom = startOf(part.words.at(-1)?.[1] ?? part.end);
    const quietTo = startOf(next.words[0]?.[0] ?? next.start);
    boundaries.push(quietestPoint(pcm, quietFrom, quietTo));
  }
  boundaries.push(pcm.length);
  return parts.map((part, at) => ({
    startSamples: boundaries[at] ?? 0,
    endSamples: boundaries[at + 1] ?? pcm.length,
    words: part.words.map(([start, end]) => [startOf(start), startOf(end)] as const),
  }));
}

function checkParts(parts: readonly FamilyPart[], symbolCount: number): void {
  let at = 0;
  const inOrder = (start: number, end: number, limit: number): boolean => {
    const fits = start >= at && end >= start && end <= limit;
    at = end;
    return fits;
  };
  const good =
    parts.length > 0 &&
    parts.every((part) => {
      if (!(part.start >= at)) return false;
      at = part.start;
      const words = part.words.every(([start, end]) => inOrder(start, end, part.end));
      return words && inOrder(at, part.end, symbolCount);
    });
  if (!good)
    throw new AppError("invalid-argument", "The parts of the utterance do not lie in order within its phonemes.", {
      cure: "Plan the utterance again.",
    });
}

const failed = (what: string): AppError =>
  new AppError("model-failed", `The model's answer does not fit together: ${what}.`, {
    cure: "Check the voice with `katari voices verify`.",
  });

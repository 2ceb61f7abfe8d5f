import { AppError } from "@katari/core";
import type { NpzArray } from "./npz.ts";

/**
 * A small sequence-to-sequence network from letters to phonemes: BART (Lewis et al. 2019) with one encoder layer, one
 * decoder layer and one attention head, post-norm, learned positions, exact GELU, tied embeddings, greedy decoding.
 * Facts of the file: `meta_json` names the two character lists (four reserved places, then id = place), the special
 * ids and the offset of the positions.
 */
export interface NeuralGuesser {
  /** Phonemes of a word of letters, `'`, `-` and `.`; undefined when it has none of them or gives nothing. */
  guess(word: string): string | undefined;
}

interface Linear {
  readonly weight: Float32Array;
  readonly bias: Float32Array;
  readonly inputs: number;
  readonly outputs: number;
}
interface Norm {
  readonly weight: Float32Array;
  readonly bias: Float32Array;
}
interface Attention {
  readonly q: Linear;
  readonly k: Linear;
  readonly v: Linear;
  readonly out: Linear;
}
interface Meta {
  readonly grapheme_chars: string;
  readonly phoneme_chars: string;
  readonly d_model: number;
  readonly num_heads: number;
  readonly max_position_embeddings: number;
  readonly bos_token_id: number;
  readonly eos_token_id: number;
  readonly decoder_start_token_id: number;
  readonly layer_norm_eps: number;
  readonly position_offset: number;
}

const reserved = 4;
const unknownId = 3;

function dot(a: Float32Array, aFrom: number, b: Float32Array, bFrom: number, length: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let i = 0; i < length; i += 4) {
    s0 += (a[aFrom + i] as number) * (b[bFrom + i] as number);
    s1 += (a[aFrom + i + 1] as number) * (b[bFrom + i + 1] as number);
    s2 += (a[aFrom + i + 2] as number) * (b[bFrom + i + 2] as number);
    s3 += (a[aFrom + i + 3] as number) * (b[bFrom + i + 3] as number);
  }
  return s0 + s1 + s2 + s3;
}

function apply(linear: Linear, input: Float32Array): Float32Array {
  const output = new Float32Array(linear.outputs);
  for (let o = 0; o < linear.outputs; o++) {
    output[o] = dot(linear.weight, o * linear.inputs, input, 0, linear.inputs) + (linear.bias[o] as number);
  }
  return output;
}

/** Error function by Abramowitz and Stegun 7.1.26 (absolute error under 1.5e-7). */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const value = 1 - series * Math.exp(-x * x);
  return x < 0 ? -value : value;
}

function gelu(values: Float32Array): Float32Array {
  for (let i = 0; i < values.length; i++) {
    const x = values[i] as number;
    values[i] = 0.5 * x * (1 + erf(x * Math.SQRT1_2));
  }
  return values;
}

/** LayerNorm over `a + b`, in place in `a`. */
function addAndNorm(a: Float32Array, b: Float32Array | undefined, norm: Norm, epsilon: number): Float32Array {
  let mean = 0;
  for (let i = 0; i < a.length; i++) {
    if (b) a[i] = (a[i] as number) + (b[i] as number);
    mean += a[i] as number;
  }
  mean /= a.length;
  let variance = 0;
  for (const value of a) variance += (value - mean) ** 2;
  const scale = 1 / Math.sqrt(variance / a.length + epsilon);
  for (let i = 0; i < a.length; i++) {
    a[i] = ((a[i] as number) - mean) * scale * (norm.weight[i] as number) + (norm.bias[i] as number);
  }
  return a;
}

function attend(
  attention: Attention,
  query: Float32Array,
  keys: readonly Float32Array[],
  values: readonly Float32Array[],
): Float32Array {
  const size = query.length;
  const q = apply(attention.q, query);
  const scores = keys.map((key) => dot(q, 0, key, 0, size) / Math.sqrt(size));
  const highest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - highest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mixed = new Float32Array(size);
  values.forEach((value, index) => {
    const weight = (weights[index] ?? 0) / total;
    for (let i = 0; i < size; i++) mixed[i] = (mixed[i] as number) + weight * (value[i] as number);
  });
  return apply(attention.out, mixed);
}

/** Builds the network from the arrays of its file. Throws `voice-damaged` when the file is not such a network. */
export function createNeuralGuesser(arrays: ReadonlyMap<string, NpzArray>): NeuralGuesser {
  const damaged = (what: string): AppError =>
    new AppError("voice-damaged", `The model for unknown words cannot be used: ${what}.`, {
      cure: "Install the voice again with `katari voices add`.",
    });
  const array = (name: string): NpzArray => {
    const found = arrays.get(name);
    if (!found) throw damaged(`${name} is missing`);
    return found;
  };
  const linear = (name: string): Linear => {
    const weight = array(`${name}.weight`);
    const [outputs = 0, inputs = 0] = weight.shape;
    const bias = array(`${name}.bias`).values;
    if (weight.values.length !== outputs * inputs || bias.length !== outputs || inputs % 4 !== 0)
      throw damaged(`${name} has another shape`);
    return { weight: weight.values, bias, inputs, outputs };
  };
  const norm = (name: string): Norm => ({
    weight: array(`${name}.weight`).values,
    bias: array(`${name}.bias`).values,
  });
  const attention = (name: string): Attention => ({
    q: linear(`${name}.q_proj`),
    k: linear(`${name}.k_proj`),
    v: linear(`${name}.v_proj`),
    out: linear(`${name}.out_proj`),
  });
  const metaText = array("meta_json").text;
  if (metaText === undefined) throw damaged("its description is missing");
  let meta: Meta;
  try {
    meta = JSON.parse(metaText) as Meta;
  } catch {
    throw damaged("its description is not JSON");
  }
  if (meta.num_heads !== 1) throw damaged(`it has ${meta.num_heads} heads`);

  const size = meta.d_model;
  const epsilon = meta.layer_norm_eps;
  const embedding = array("model.shared.weight").values;
  const logitBias = array("final_logits_bias").values;
  const side = (name: "encoder" | "decoder") => ({
    positions: array(`model.${name}.embed_positions.weight`).values,
    embeddingNorm: norm(`model.${name}.layernorm_embedding`),
    self: attention(`model.${name}.layers.0.self_attn`),
    selfNorm: norm(`model.${name}.layers.0.self_attn_layer_norm`),
    first: linear(`model.${name}.layers.0.fc1`),
    second: linear(`model.${name}.layers.0.fc2`),
    finalNorm: norm(`model.${name}.layers.0.final_layer_norm`),
  });
  const encoder = side("encoder");
  const decoder = {
    ...side("decoder"),
    cross: attention("model.decoder.layers.0.encoder_attn"),
    crossNorm: norm("model.decoder.layers.0.encoder_attn_layer_norm"),
  };
  const ids = new Map(
    Array.from(meta.grapheme_chars)
      .map((letter, index) => [letter, index] as const)
      .slice(reserved),
  );
  const phonemes = Array.from(meta.phoneme_chars);

  const embed = (id: number, position: number, positions: Float32Array, embeddingNorm: Norm): Float32Array => {
    const hidden = embedding.slice(id * size, (id + 1) * size);
    const from = (position + meta.position_offset) * size;
    return addAndNorm(hidden, positions.subarray(from, from + size), embeddingNorm, epsilon);
  };
  const feedForward = (layer: { first: Linear; second: Linear; finalNorm: Norm }, hidden: Float32Array) =>
    addAndNorm(hidden, apply(layer.second, gelu(apply(layer.first, hidden))), layer.finalNorm, epsilon);

  return {
    guess(word) {
      const letters = Array.from(word).map((letter) => ids.get(letter) ?? unknownId);
      if (letters.every((id) => id === unknownId)) return undefined;
      const input = [meta.bos_token_id, ...letters, meta.eos_token_id];
      if (input.length > meta.max_position_embeddings) return undefined;
      const embedded = input.map((id, at) => embed(id, at, encoder.positions, encoder.embeddingNorm));
      const keys = embedded.map((hidden) => apply(encoder.self.k, hidden));
      const values = embedded.map((hidden) => apply(encoder.self.v, hidden));
      const memory = embedded.map((hidden) => {
        const attended = attend(encoder.self, hidden, keys, values);
        return feedForward(encoder, addAndNorm(hidden.slice(), attended, encoder.selfNorm, epsilon));
      });
      const crossKeys = memory.map((hidden) => apply(decoder.cross.k, hidden));
      const crossValues = memory.map((hidden) => apply(decoder.cross.v, hidden));

      const selfKeys: Float32Array[] = [];
      const selfValues: Float32Array[] = [];
      let said = "";
      let id = meta.decoder_start_token_id;
      for (let at = 0; at < meta.max_position_embeddings - 1; at++) {
        const hidden = embed(id, at, decoder.positions, decoder.embeddingNorm);
        selfKeys.push(apply(decoder.self.k, hidden));
        selfValues.push(apply(decoder.self.v, hidden));
        const attended = attend(decoder.self, hidden, selfKeys, selfValues);
        const own = addAndNorm(hidden, attended, decoder.selfNorm, epsilon);
        const crossed = attend(decoder.cross, own, crossKeys, crossValues);
        const last = feedForward(decoder, addAndNorm(own, crossed, decoder.crossNorm, epsilon));
        let best = Number.NEGATIVE_INFINITY;
        for (let token = 0; token < logitBias.length; token++) {
          const score = dot(embedding, token * size, last, 0, size) + (logitBias[token] as number);
          if (score > best) {
            best = score;
            id = token;
          }
        }
        if (id === meta.eos_token_id) break;
        if (id >= reserved) said += phonemes[id] ?? "";
      }
      return said === "" ? undefined : said;
    },
  };
}

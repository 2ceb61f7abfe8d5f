import { describe, expect, it } from "vitest";
import { createNeuralGuesser } from "./neural-guesser.ts";
import { readNpz, type NpzArray } from "./npz.ts";

const size = 4;
const meta = {
  grapheme_chars: "____ab",
  phoneme_chars: "____xy",
  d_model: size,
  num_heads: 1,
  max_position_embeddings: 6,
  bos_token_id: 1,
  eos_token_id: 2,
  decoder_start_token_id: 1,
  layer_norm_eps: 1e-5,
  position_offset: 2,
};
const array = (shape: readonly number[], fill = 0): NpzArray => ({
  shape,
  values: new Float32Array(shape.reduce((product, n) => product * n, 1)).fill(fill),
});

/** A network whose weights are all zero: only the bias of the output decides. */
function zeroNetwork(bias: readonly number[]): Map<string, NpzArray> {
  const arrays = new Map<string, NpzArray>([
    ["meta_json", { ...array([]), text: JSON.stringify(meta) }],
    ["model.shared.weight", array([6, size])],
    ["final_logits_bias", { shape: [1, 6], values: Float32Array.from(bias) }],
  ]);
  const linear = (name: string, outputs: number, inputs: number): void => {
    arrays.set(`${name}.weight`, array([outputs, inputs]));
    arrays.set(`${name}.bias`, array([outputs]));
  };
  const norm = (name: string): void => {
    arrays.set(`${name}.weight`, array([size], 1));
    arrays.set(`${name}.bias`, array([size]));
  };
  for (const side of ["encoder", "decoder"]) {
    arrays.set(`model.${side}.embed_positions.weight`, array([8, size]));
    norm(`model.${side}.layernorm_embedding`);
    norm(`model.${side}.layers.0.self_attn_layer_norm`);
    norm(`model.${side}.layers.0.final_layer_norm`);
    linear(`model.${side}.layers.0.fc1`, 8, size);
    linear(`model.${side}.layers.0.fc2`, size, 8);
    for (const attention of side === "decoder" ? ["self_attn", "encoder_attn"] : ["self_attn"])
      for (const part of ["q_proj", "k_proj", "v_proj", "out_proj"])
        linear(`model.${side}.layers.0.${attention}.${part}`, size, size);
  }
  norm("model.decoder.layers.0.encoder_attn_layer_norm");
  return arrays;
}

/** A `.npy` file (format 1.0) and a stored zip around it, written by the published layouts. */
function npy(descr: string, shape: string, data: Uint8Array): Buffer {
  const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }\n`;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(header.length);
  return Buffer.concat([
    Buffer.from([0x93]),
    Buffer.from("NUMPY\x01\x00", "latin1"),
    length,
    Buffer.from(header),
    data,
  ]);
}
function storedZip(name: string, data: Buffer): Buffer {
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt32LE(data.length, 20);
  entry.writeUInt32LE(data.length, 24);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(30 + name.length + data.length, 16);
  return Buffer.concat([local, Buffer.from(name), data, entry, Buffer.from(name), end]);
}

describe("createNeuralGuesser", () => {
  it("writes the likeliest symbol until the positions end", () => {
    // Zero weights leave the bias alone: symbol 5 (y) always wins, and 6 positions hold 5 steps.
    expect(createNeuralGuesser(zeroNetwork([0, 0, 0, 0, 0, 1])).guess("ab")).toBe("yyyyy");
  });

  it("says nothing when the end comes first, for letters it does not know, and for words that are too long", () => {
    expect(createNeuralGuesser(zeroNetwork([0, 0, 1, 0, 0, 0])).guess("ab")).toBeUndefined();
    const guesser = createNeuralGuesser(zeroNetwork([0, 0, 0, 0, 1, 0]));
    expect(guesser.guess("zz")).toBeUndefined();
    expect(guesser.guess("")).toBeUndefined();
    expect(guesser.guess("ababa")).toBeUndefined();
  });

  it("refuses a file that is not such a network", () => {
    const arrays = zeroNetwork([0, 0, 0, 0, 0, 1]);
    arrays.delete("model.encoder.layers.0.fc1.bias");
    expect(() => createNeuralGuesser(arrays)).toThrowError(expect.objectContaining({ code: "voice-damaged" }) as Error);
  });
});

describe("readNpz", () => {
  it("reads float and text arrays", () => {
    const floats = npy("<f4", "(2, 1)", new Uint8Array(Float32Array.from([1.5, -2]).buffer));
    expect(readNpz(storedZip("w.npy", floats)).get("w")).toEqual({
      shape: [2, 1],
      values: Float32Array.from([1.5, -2]),
    });
    const text = npy("<U3", "()", new Uint8Array(Uint32Array.from([0x68, 0x69, 0]).buffer));
    expect(readNpz(storedZip("t.npy", text)).get("t")?.text).toBe("hi");
  });

  it.each([
    ["no zip at all", Buffer.from("hello")],
    ["another type", storedZip("w.npy", npy("<i8", "(1,)", new Uint8Array(8)))],
    ["a cut file", storedZip("w.npy", npy("<f4", "(1,)", new Uint8Array(4))).subarray(40)],
  ])("refuses %s", (_, bytes) => {
    expect(() => readNpz(bytes)).toThrowError(expect.objectContaining({ code: "voice-damaged" }) as Error);
  });
});

import {
  encodeModel,
  floatTensor,
  int64Tensor,
  intAttribute,
  onnxGraph,
  onnxModel,
  onnxNode,
  onnxType,
  valueInfo,
} from "@katari/voices/onnx";
import { envelopeTable, tokenIds, tokenUnits, toneTable, unitSamples } from "./tone-tables.ts";

/** Names of the test voice's tensors, as Kokoro's export has them; `durations` is plain. */
export const toneModelNames = {
  inputs: { tokens: "tokens", style: "style", speed: "speed" },
  outputs: { audio: "audio", durations: "durations" },
} as const;

/**
 * An ONNX model with Kokoro's contract that hums instead of speaking: every token is a tone of its own (`tokenHz`) with
 * a soft start and end, as long as its duration says; `audio` has 600 × sum(durations) samples. The first number of
 * the style row makes it louder: gain 1 + style[0, 0]. Only table look-ups and products, so the audio is the same on
 * every machine, and thousands of times faster than real time.
 */
export function toneModel(): Uint8Array {
  const { inputs, outputs } = toneModelNames;
  const constants = [
    floatTensor(
      "units_of",
      [tokenIds],
      Array.from({ length: tokenIds }, (_, id) => tokenUnits(id)),
    ),
    floatTensor("tones", [tokenIds, unitSamples], toneTable()),
    floatTensor("envelopes", [4, unitSamples], envelopeTable()),
    floatTensor("one", [1], [1]),
    int64Tensor("flat", [1], [-1]),
    int64Tensor("axis_0", [1], [0]),
    int64Tensor("axis_1", [1], [1]),
    int64Tensor("scalar_axis_0", [], [0]),
    int64Tensor("first", [], [0]),
    int64Tensor("zero", [], [0]),
    int64Tensor("step", [], [1]),
    int64Tensor("two", [1], [2]),
  ];
  const toInteger = intAttribute("to", onnxType.int64);
  const drop = intAttribute("keepdims", 0);
  const nodes = [
    // Durations in units.
    onnxNode("Gather", ["units_of", inputs.tokens], ["units_at_1"]),
    onnxNode("Div", ["units_at_1", inputs.speed], ["units_exact"]),
    onnxNode("Round", ["units_exact"], ["units_round"]),
    onnxNode("Max", ["units_round", "one"], [outputs.durations]),
    // For every unit of the take, the token that it belongs to: how many tokens have ended by then.
    onnxNode("Reshape", [outputs.durations, "flat"], ["units_flat"]),
    onnxNode("Cast", ["units_flat"], ["units"], [toInteger]),
    onnxNode("CumSum", ["units", "scalar_axis_0"], ["ends"]),
    onnxNode("ReduceSum", ["units", "axis_0"], ["total"], [drop]),
    onnxNode("Range", ["zero", "total", "step"], ["unit_index"]),
    onnxNode("Unsqueeze", ["unit_index", "axis_1"], ["unit_column"]),
    onnxNode("GreaterOrEqual", ["unit_column", "ends"], ["has_ended"]),
    onnxNode("Cast", ["has_ended"], ["ended"], [toInteger]),
    onnxNode("ReduceSum", ["ended", "axis_1"], ["place"], [drop]),
    // First and last unit of a token get the envelope's slopes.
    onnxNode("Gather", ["ends", "place"], ["end"]),
    onnxNode("Gather", ["units", "place"], ["length"]),
    onnxNode("Sub", ["end", "length"], ["start"]),
    onnxNode("Equal", ["unit_index", "start"], ["is_first"]),
    onnxNode("Cast", ["is_first"], ["first_flag"], [toInteger]),
    onnxNode("Sub", ["end", "step"], ["last"]),
    onnxNode("Equal", ["unit_index", "last"], ["is_last"]),
    onnxNode("Cast", ["is_last"], ["last_flag"], [toInteger]),
    onnxNode("Mul", ["last_flag", "two"], ["last_flags"]),
    onnxNode("Add", ["first_flag", "last_flags"], ["slope"]),
    // Sound.
    onnxNode("Reshape", [inputs.tokens, "flat"], ["ids"]),
    onnxNode("Gather", ["ids", "place"], ["id"]),
    onnxNode("Gather", ["tones", "id"], ["tone"]),
    onnxNode("Gather", ["envelopes", "slope"], ["envelope"]),
    onnxNode("Mul", ["tone", "envelope"], ["shaped"]),
    onnxNode("Gather", [inputs.style, "first"], ["loudness"], [intAttribute("axis", 1)]),
    onnxNode("Add", ["loudness", "one"], ["gain"]),
    onnxNode("Mul", ["shaped", "gain"], ["loud"]),
    onnxNode("Reshape", ["loud", "flat"], [outputs.audio]),
  ];
  return encodeModel(
    onnxModel(
      onnxGraph({
        name: "katari-test-voice",
        nodes,
        initializers: constants,
        inputs: [
          valueInfo(inputs.tokens, onnxType.int64, [1, "ids"]),
          valueInfo(inputs.style, onnxType.float, [1, 256]),
          valueInfo(inputs.speed, onnxType.float, [1]),
        ],
        outputs: [
          valueInfo(outputs.audio, onnxType.float, ["samples"]),
          valueInfo(outputs.durations, onnxType.float, [1, "ids"]),
        ],
      }),
    ),
  );
}

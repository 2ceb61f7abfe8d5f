import * as fc from "fast-check";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import {
  decodeModel,
  encodeModel,
  intAttribute,
  intsAttribute,
  onnxGraph,
  onnxModel,
  onnxNode,
  onnxType,
  rawTensor,
  unfoldConvolutions,
  valueInfo,
  type OnnxModel,
} from "./index.ts";

interface Case {
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernel: number;
  readonly dilation: number;
  readonly stride: number;
  readonly pads: readonly [number, number];
  readonly time: number;
  readonly zeroPoint: number;
  readonly weightZero: number;
  readonly data: readonly number[];
  readonly weights: readonly number[];
}

const small = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const cases: fc.Arbitrary<Case> = fc
  .record({
    inChannels: small(1, 5),
    outChannels: small(1, 5),
    kernel: small(1, 5),
    dilation: small(1, 3),
    stride: small(1, 2),
    pads: fc.tuple(small(0, 3), small(0, 3)),
    time: small(13, 20),
    zeroPoint: small(0, 255),
    weightZero: small(0, 255),
  })
  .chain((shape) =>
    fc.record({
      ...Object.fromEntries(Object.entries(shape).map(([name, value]) => [name, fc.constant(value)])),
      data: fc.array(small(0, 255), {
        minLength: shape.inChannels * shape.time,
        maxLength: shape.inChannels * shape.time,
      }),
      weights: fc.array(small(0, 255), {
        minLength: shape.inChannels * shape.outChannels * shape.kernel,
        maxLength: shape.inChannels * shape.outChannels * shape.kernel,
      }),
    }),
  ) as unknown as fc.Arbitrary<Case>;

/** A model with the convolution twice, so that what can be shared is. */
function convolutionModel(given: Case): OnnxModel {
  const attributes = [
    intsAttribute("kernel_shape", [given.kernel]),
    intsAttribute("dilations", [given.dilation]),
    intsAttribute("strides", [given.stride]),
    intsAttribute("pads", given.pads),
    intAttribute("group", 1),
  ];
  const conv = (output: string) =>
    onnxNode("ConvInteger", ["x", "w", "x_zero", "w_zero"], [output], attributes, `conv_${output}`);
  return onnxModel(
    onnxGraph({
      name: "convolution",
      nodes: [conv("y"), conv("z")],
      initializers: [
        rawTensor(
          "w",
          onnxType.uint8,
          [given.outChannels, given.inChannels, given.kernel],
          Uint8Array.from(given.weights),
        ),
        rawTensor("x_zero", onnxType.uint8, [], Uint8Array.of(given.zeroPoint)),
        rawTensor("w_zero", onnxType.uint8, [], Uint8Array.of(given.weightZero)),
      ],
      inputs: [valueInfo("x", onnxType.uint8, [1, given.inChannels, "time"])],
      outputs: [valueInfo("y", onnxType.int32), valueInfo("z", onnxType.int32)],
    }),
  );
}

/** The convolution by its definition, with padding that stands for zero. */
function byDefinition(given: Case): number[] {
  const { inChannels, outChannels, kernel, dilation, stride, pads, time } = given;
  const out: number[] = [];
  const length = Math.floor((time + pads[0] + pads[1] - (kernel - 1) * dilation - 1) / stride) + 1;
  for (let o = 0; o < outChannels; o++)
    for (let t = 0; t < length; t++) {
      let sum = 0;
      for (let i = 0; i < inChannels; i++)
        for (let k = 0; k < kernel; k++) {
          const at = t * stride + k * dilation - pads[0];
          if (at < 0 || at >= time) continue;
          const value = (given.data[i * time + at] ?? 0) - given.zeroPoint;
          sum += value * ((given.weights[(o * inChannels + i) * kernel + k] ?? 0) - given.weightZero);
        }
      out.push(sum);
    }
  return out;
}

async function run(model: OnnxModel, given: Case): Promise<Record<string, number[]>> {
  const session = await InferenceSession.create(encodeModel(model));
  const x = new Tensor("uint8", Uint8Array.from(given.data), [1, given.inChannels, given.time]);
  const outputs = await session.run({ x });
  await session.release();
  return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, [...(tensor.data as Int32Array)]]));
}

describe("unfolding convolutions", () => {
  it("computes what the convolution is by definition, for any kernel, dilation, stride, padding and zero points", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const { model, rewritten, kept } = unfoldConvolutions(convolutionModel(given));
        expect({ rewritten, kept }).toEqual({ rewritten: 2, kept: 0 });
        const expected = byDefinition(given);
        expect(await run(model, given)).toEqual({ y: expected, z: expected });
      }),
      { numRuns: 60 },
    );
  });

  it("leaves a convolution in groups alone", () => {
    const grouped = convolutionModel({
      inChannels: 2,
      outChannels: 2,
      kernel: 1,
      dilation: 1,
      stride: 1,
      pads: [0, 0],
      time: 13,
      zeroPoint: 0,
      weightZero: 0,
      data: [],
      weights: [1, 2],
    });
    const nodes = grouped.graph.nodes.map((node) => ({
      ...node,
      attributes: [...node.attributes.filter(({ name }) => name !== "group"), intAttribute("group", 2)],
    }));
    const result = unfoldConvolutions({ ...grouped, graph: { ...grouped.graph, nodes } });
    expect(result.kept).toBe(2);
    expect(result.model.graph.nodes).toEqual(nodes);
  });

  it("shares the unfolded input between convolutions and drops weights that nobody reads", () => {
    const given: Case = {
      inChannels: 1,
      outChannels: 1,
      kernel: 3,
      dilation: 1,
      stride: 1,
      pads: [1, 1],
      time: 13,
      zeroPoint: 0,
      weightZero: 128,
      data: [],
      weights: [1, 2, 3],
    };
    const { graph } = unfoldConvolutions(convolutionModel(given)).model;
    const count = (opType: string): number => graph.nodes.filter((node) => node.opType === opType).length;
    expect({ pad: count("Pad"), gather: count("Gather"), multiply: count("MatMulInteger") }).toEqual({
      pad: 1,
      gather: 1,
      multiply: 2,
    });
    expect(graph.initializers.map(({ name }) => name)).not.toContain("w");
  });
});

describe("the ONNX model", () => {
  it("is the same after writing and reading, unknown fields included", () => {
    const plain = convolutionModel({
      inChannels: 1,
      outChannels: 1,
      kernel: 1,
      dilation: 1,
      stride: 1,
      pads: [0, 0],
      time: 13,
      zeroPoint: 7,
      weightZero: 9,
      data: [],
      weights: [1],
    });
    // Field 1000, a varint.
    const model = { ...plain, unknown: [Uint8Array.of(0xc0, 0x3e, 0x05)] };
    const again = decodeModel(encodeModel(model));
    expect(again).toEqual(model);
    expect(encodeModel(again)).toEqual(encodeModel(model));
  });

  it("takes a graph that comes in two fields for one, as protobuf merges messages", () => {
    const whole = convolutionModel({
      inChannels: 1,
      outChannels: 1,
      kernel: 1,
      dilation: 1,
      stride: 1,
      pads: [0, 0],
      time: 13,
      zeroPoint: 7,
      weightZero: 9,
      data: [],
      weights: [1],
    });
    // graph (field 7) { output (field 12) { name "x" } }
    const extra = Uint8Array.of(0x3a, 0x05, 0x62, 0x03, 0x0a, 0x01, 0x78);
    const outputs = decodeModel(Uint8Array.from([...encodeModel(whole), ...extra])).graph.outputs;
    expect(outputs.map(({ name }) => name)).toEqual(["y", "z", "x"]);
  });
});

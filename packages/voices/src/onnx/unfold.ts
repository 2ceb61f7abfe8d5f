import { int64Tensor, intAttribute, intsAttribute, onnxNode, rawTensor } from "./build.ts";
import { namesRead, type OnnxModel, type OnnxNode } from "./model.ts";
import { onnxType, tensorIntegers, type OnnxTensor } from "./tensor.ts";

/** What a rewrite did, for the log and for tests. */
export interface UnfoldReport {
  readonly model: OnnxModel;
  readonly rewritten: number;
  readonly kept: number;
}

interface Convolution {
  readonly node: OnnxNode;
  readonly weights: OnnxTensor;
  readonly weightZero: number;
  readonly kernel: number;
  readonly dilation: number;
  readonly stride: number;
  readonly pads: readonly [number, number];
}

/**
 * Rewrites every one-dimensional `ConvInteger` of uint8 data and weights as a `MatMulInteger` over the unfolded input:
 * transpose to [batch, time, channel], pad with the zero point, put the kernel's taps beside each other, multiply,
 * transpose back. Weights become int8 (value − 128, zero point − 128), for which ONNX Runtime has
 * its fast kernel (unsigned × signed). Sums of products of integers do not depend on their order and both forms leave
 * out the same zero points, so the result is the same to the bit. Convolutions that read the same input with the same
 * padding share the transposed input; with the same taps too, the unfolded one. Others are kept as they are.
 */
export function unfoldConvolutions(model: OnnxModel): UnfoldReport {
  const { graph } = model;
  const constants = constantsOf(model);
  const added = new Map<string, OnnxTensor>();
  const constant = (tensor: OnnxTensor): string => {
    added.set(tensor.name, tensor);
    return tensor.name;
  };
  const unfolded = new Map<string, string>();
  const nodes: OnnxNode[] = [];
  let rewritten = 0;
  let kept = 0;

  for (const node of graph.nodes) {
    const convolution = node.opType === "ConvInteger" ? readConvolution(node, constants) : undefined;
    if (!convolution) {
      if (node.opType === "ConvInteger") kept++;
      nodes.push(node);
      continue;
    }
    rewritten++;
    const input = node.inputs[0] ?? "";
    const zeroPoint = node.inputs[2] ?? "";
    const prefix = `unfold/${node.name || node.outputs[0]}`;
    const once = (key: string, make: (name: string) => void): string => {
      const known = unfolded.get(key);
      if (known !== undefined) return known;
      const name = `${prefix}/${key.slice(0, key.indexOf(" "))}`;
      make(name);
      unfolded.set(key, name);
      return name;
    };
    const turned = once(`turned ${input}`, (name) => {
      nodes.push(onnxNode("Transpose", [input], [name], [intsAttribute("perm", [0, 2, 1])]));
    });
    const [before, after] = convolution.pads;
    const padded =
      before === 0 && after === 0
        ? turned
        : once(`padded ${turned} ${before} ${after} ${zeroPoint}`, (name) => {
            const pads = constant(int64Tensor(`unfold/pads/${before}_${after}`, [6], [0, before, 0, 0, after, 0]));
            nodes.push(onnxNode("Pad", [turned, pads, zeroPoint], [name]));
          });
    const { kernel, dilation, stride } = convolution;
    const taps =
      kernel === 1 && stride === 1
        ? padded
        : once(`taps ${padded} ${kernel} ${dilation} ${stride}`, (name) => {
            nodes.push(...tapNodes(convolution, padded, name, constant));
          });
    const product = `${prefix}/product`;
    const matrix = constant(weightMatrix(`${prefix}/weights`, convolution));
    const weightZero = constant(
      rawTensor(`${prefix}/weight_zero`, onnxType.int8, [], Int8Array.of(convolution.weightZero - 128)),
    );
    nodes.push(
      onnxNode("MatMulInteger", [taps, matrix, zeroPoint, weightZero], [product], [], `${prefix}/multiply`),
      onnxNode("Transpose", [product], node.outputs, [intsAttribute("perm", [0, 2, 1])]),
    );
  }

  const initializers = [...graph.initializers, ...added.values()];
  return { model: withoutUnread({ ...model, graph: { ...graph, nodes, initializers } }), rewritten, kept };
}

/** Leaves out constants that no node reads any more. */
function withoutUnread(model: OnnxModel): OnnxModel {
  const { graph } = model;
  const read = new Set([...graph.nodes.flatMap(namesRead), ...graph.outputs.map((output) => output.name)]);
  const initializers = graph.initializers.filter((tensor) => read.has(tensor.name));
  return { ...model, graph: { ...graph, initializers } };
}

/** All constants by name: initializers and outputs of `Constant` nodes. */
function constantsOf(model: OnnxModel): Map<string, OnnxTensor> {
  const constants = new Map(model.graph.initializers.map((tensor) => [tensor.name, tensor]));
  for (const node of model.graph.nodes) {
    const [attribute] = node.attributes;
    const [output] = node.outputs;
    if (node.opType === "Constant" && attribute?.kind === "tensor" && output !== undefined)
      constants.set(output, attribute.value);
  }
  return constants;
}

/** The convolution that a node is, or nothing when it is one that this rewrite does not know. */
function readConvolution(node: OnnxNode, constants: ReadonlyMap<string, OnnxTensor>): Convolution | undefined {
  const [, weightName = "", zeroPoint = "", weightZeroName = ""] = node.inputs;
  const weights = constants.get(weightName);
  const zeroTensor = constants.get(weightZeroName);
  if (!weights || weights.dims.length !== 3 || weights.dataType !== onnxType.uint8 || weights.unknown.length > 0)
    return undefined;
  if (zeroPoint === "" || !zeroTensor || zeroTensor.dataType !== onnxType.uint8) return undefined;
  const [weightZero, ...moreZeros] = tensorIntegers(zeroTensor);
  if (weightZero === undefined || moreZeros.length > 0) return undefined;

  const ints = (name: string, otherwise: readonly number[]): readonly number[] => {
    const attribute = node.attributes.find((candidate) => candidate.name === name);
    return attribute?.kind === "ints" ? attribute.value : otherwise;
  };
  const group = node.attributes.find((candidate) => candidate.name === "group");
  const autoPad = node.attributes.find((candidate) => candidate.name === "auto_pad");
  if (group?.kind === "int" && group.value !== 1) return undefined;
  if (autoPad?.kind === "text" && autoPad.value !== "NOTSET") return undefined;
  const [before = 0, after = 0] = ints("pads", [0, 0]);
  return {
    node,
    weights,
    weightZero,
    kernel: weights.dims[2] ?? 1,
    dilation: ints("dilations", [1])[0] ?? 1,
    stride: ints("strides", [1])[0] ?? 1,
    pads: [before, after],
  };
}

/**
 * Nodes that make [batch, time, kernel × channel] from [batch, time, channel]: one `Gather` along the time, by the
 * positions of every output's taps. It copies each value once and writes in order; slices joined by `Concat` copy
 * twice and write with gaps, which took 17 % longer for the whole model.
 */
function tapNodes(
  { kernel, dilation, stride }: Convolution,
  input: string,
  output: string,
  constant: (tensor: OnnxTensor) => string,
): OnnxNode[] {
  const reach = (kernel - 1) * dilation;
  const offsets = Array.from({ length: kernel }, (_, tap) => tap * dilation);
  const part = (name: string): string => `${output}/${name}`;
  return [
    onnxNode("Shape", [input], [part("time")], [intAttribute("start", 1), intAttribute("end", 2)]),
    onnxNode("Add", [part("time"), constant(int64Tensor(`unfold/reach/${reach}`, [1], [-reach]))], [part("last")]),
    onnxNode("Squeeze", [part("last"), constant(int64Tensor("unfold/axis/0", [1], [0]))], [part("limit")]),
    onnxNode(
      "Range",
      [
        constant(int64Tensor("unfold/zero", [], [0])),
        part("limit"),
        constant(int64Tensor(`unfold/stride/${stride}`, [], [stride])),
      ],
      [part("starts")],
    ),
    onnxNode("Unsqueeze", [part("starts"), constant(int64Tensor("unfold/axis/1", [1], [1]))], [part("column")]),
    onnxNode(
      "Add",
      [part("column"), constant(int64Tensor(`unfold/offsets/${kernel}_${dilation}`, [1, kernel], offsets))],
      [part("positions")],
    ),
    onnxNode("Gather", [input, part("positions")], [part("gathered")], [intAttribute("axis", 1)]),
    onnxNode("Reshape", [part("gathered"), constant(int64Tensor("unfold/shape", [3], [0, 0, -1]))], [output]),
  ];
}

/** Weights [out, in, tap] of uint8 as the matrix [tap × in, out] of int8. */
function weightMatrix(name: string, { weights }: Convolution): OnnxTensor {
  const [outCount = 0, inCount = 0, kernel = 0] = weights.dims;
  const matrix = new Int8Array(kernel * inCount * outCount);
  let at = 0;
  for (let tap = 0; tap < kernel; tap++)
    for (let channel = 0; channel < inCount; channel++)
      for (let out = 0; out < outCount; out++)
        matrix[at++] = (weights.data[(out * inCount + channel) * kernel + tap] ?? 0) - 128;
  return rawTensor(name, onnxType.int8, [kernel * inCount, outCount], matrix);
}

import type { Chunks, WireField } from "./wire.ts";
import { fieldText, joinChunks, lengthField, readFields, textField, varintField } from "./wire.ts";
import { encodeAttribute, decodeAttribute, type OnnxAttribute } from "./attribute.ts";
import { decodeTensor, encodeTensor, type OnnxTensor } from "./tensor.ts";

/**
 * An ONNX model as plain data (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto): what a graph rewrite reads and
 * changes. Everything else stays in `unknown` as the bytes it came with and is written back.
 */
export interface OnnxModel {
  readonly irVersion: number;
  readonly producer: string;
  readonly opsets: readonly OnnxOpset[];
  readonly graph: OnnxGraph;
  readonly unknown: readonly Uint8Array[];
}

export interface OnnxOpset {
  /** Empty for the standard operators. */
  readonly domain: string;
  readonly version: number;
}

export interface OnnxGraph {
  readonly name: string;
  /** In an order in which every input is made before it is used. */
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxTensor[];
  readonly inputs: readonly OnnxValueInfo[];
  readonly outputs: readonly OnnxValueInfo[];
  readonly unknown: readonly Uint8Array[];
}

export interface OnnxNode {
  readonly name: string;
  readonly opType: string;
  readonly domain: string;
  /** Names of values; an empty name stands for an optional input that is not given. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: readonly OnnxAttribute[];
  readonly unknown: readonly Uint8Array[];
}

export interface OnnxValueInfo {
  readonly name: string;
  /** Encoded TypeProto. */
  readonly type: Uint8Array;
  readonly unknown: readonly Uint8Array[];
}

/** Reads a model. The result holds views into `bytes`, which must not change. Throws `voice-damaged`. */
export function decodeModel(bytes: Uint8Array): OnnxModel {
  let irVersion = 0;
  let producer = "";
  const opsets: OnnxOpset[] = [];
  const graphFields: WireField[] = [];
  const unknown: Uint8Array[] = [];
  for (const field of readFields(bytes)) {
    if (field.number === 1) irVersion = Number(field.varint);
    else if (field.number === 2) producer = fieldText(field);
    // Protobuf merges a message that occurs twice; a file may be extended by appending (timings are exposed so).
    else if (field.number === 7) graphFields.push(...readFields(field.bytes));
    else if (field.number === 8) opsets.push(decodeOpset(field.bytes));
    else unknown.push(field.raw);
  }
  return { irVersion, producer, opsets, graph: decodeGraph(graphFields), unknown };
}

/** Writes a model. */
export function encodeModel(model: OnnxModel): Uint8Array<ArrayBuffer> {
  const opsets = model.opsets.flatMap((opset) =>
    lengthField(8, [...(opset.domain === "" ? [] : textField(1, opset.domain)), ...varintField(2, opset.version)]),
  );
  return joinChunks([
    ...varintField(1, model.irVersion),
    ...textField(2, model.producer),
    ...lengthField(7, encodeGraph(model.graph)),
    ...opsets,
    ...model.unknown,
  ]);
}

/** Names that a nested graph (the body of a Loop or If) may take from the graph around it: all that its nodes read. */
function namesReadInside(attribute: OnnxAttribute): string[] {
  if (attribute.kind !== "raw") return [];
  const graphs = readFields(attribute.raw).filter((field) => field.number === 6 || field.number === 11);
  return graphs.flatMap((field) => {
    const graph = decodeGraph(readFields(field.bytes));
    return [...graph.nodes.flatMap(namesRead), ...graph.outputs.map((output) => output.name)];
  });
}

/** Every value that a node reads, in its nested graphs too. */
export function namesRead(node: OnnxNode): string[] {
  return [...node.inputs.filter((name) => name !== ""), ...node.attributes.flatMap(namesReadInside)];
}

function decodeOpset(bytes: Uint8Array): OnnxOpset {
  let domain = "";
  let version = 0;
  for (const field of readFields(bytes)) {
    if (field.number === 1) domain = fieldText(field);
    else if (field.number === 2) version = Number(field.varint);
  }
  return { domain, version };
}

function decodeGraph(fields: readonly WireField[]): OnnxGraph {
  let name = "";
  const nodes: OnnxNode[] = [];
  const initializers: OnnxTensor[] = [];
  const inputs: OnnxValueInfo[] = [];
  const outputs: OnnxValueInfo[] = [];
  const unknown: Uint8Array[] = [];
  for (const field of fields) {
    if (field.number === 1) nodes.push(decodeNode(field.bytes));
    else if (field.number === 2) name = fieldText(field);
    else if (field.number === 5) initializers.push(decodeTensor(field.bytes));
    else if (field.number === 11) inputs.push(decodeValueInfo(field.bytes));
    else if (field.number === 12) outputs.push(decodeValueInfo(field.bytes));
    else unknown.push(field.raw);
  }
  return { name, nodes, initializers, inputs, outputs, unknown };
}

function encodeGraph(graph: OnnxGraph): Chunks {
  return [
    ...graph.nodes.flatMap((node) => lengthField(1, encodeNode(node))),
    ...textField(2, graph.name),
    ...graph.initializers.flatMap((tensor) => lengthField(5, encodeTensor(tensor))),
    ...graph.inputs.flatMap((value) => lengthField(11, encodeValueInfo(value))),
    ...graph.outputs.flatMap((value) => lengthField(12, encodeValueInfo(value))),
    ...graph.unknown,
  ];
}

function decodeNode(bytes: Uint8Array): OnnxNode {
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes: OnnxAttribute[] = [];
  const unknown: Uint8Array[] = [];
  const text = { name: "", opType: "", domain: "" };
  for (const field of readFields(bytes)) {
    if (field.number === 1) inputs.push(fieldText(field));
    else if (field.number === 2) outputs.push(fieldText(field));
    else if (field.number === 3) text.name = fieldText(field);
    else if (field.number === 4) text.opType = fieldText(field);
    else if (field.number === 5) attributes.push(decodeAttribute(field.bytes));
    else if (field.number === 7) text.domain = fieldText(field);
    else unknown.push(field.raw);
  }
  return { ...text, inputs, outputs, attributes, unknown };
}

function encodeNode(node: OnnxNode): Chunks {
  return [
    ...node.inputs.flatMap((name) => textField(1, name)),
    ...node.outputs.flatMap((name) => textField(2, name)),
    ...(node.name === "" ? [] : textField(3, node.name)),
    ...textField(4, node.opType),
    ...node.attributes.flatMap((attribute) => lengthField(5, encodeAttribute(attribute))),
    ...(node.domain === "" ? [] : textField(7, node.domain)),
    ...node.unknown,
  ];
}

function decodeValueInfo(bytes: Uint8Array): OnnxValueInfo {
  let name = "";
  let type = new Uint8Array(0);
  const unknown: Uint8Array[] = [];
  for (const field of readFields(bytes)) {
    if (field.number === 1) name = fieldText(field);
    else if (field.number === 2) type = Uint8Array.from([...type, ...field.bytes]);
    else unknown.push(field.raw);
  }
  return { name, type, unknown };
}

function encodeValueInfo(value: OnnxValueInfo): Chunks {
  return [...textField(1, value.name), ...lengthField(2, [value.type]), ...value.unknown];
}

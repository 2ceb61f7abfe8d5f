import type { OnnxAttribute } from "./attribute.ts";
import type { OnnxGraph, OnnxModel, OnnxNode, OnnxValueInfo } from "./model.ts";
import { onnxType, type OnnxTensor } from "./tensor.ts";
import { joinChunks, lengthField, textField, varintField } from "./wire.ts";

/** A node; `attributes` by the makers below. */
export function onnxNode(
  opType: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: readonly OnnxAttribute[] = [],
  name = "",
): OnnxNode {
  return { name, opType, domain: "", inputs, outputs, attributes, unknown: [] };
}

export const intAttribute = (name: string, value: number): OnnxAttribute => ({ kind: "int", name, value });
export const intsAttribute = (name: string, value: readonly number[]): OnnxAttribute => ({ kind: "ints", name, value });
export const floatAttribute = (name: string, value: number): OnnxAttribute => ({ kind: "float", name, value });
export const textAttribute = (name: string, value: string): OnnxAttribute => ({ kind: "text", name, value });
export const tensorAttribute = (name: string, value: OnnxTensor): OnnxAttribute => ({ kind: "tensor", name, value });

/** A float32 constant. */
export function floatTensor(name: string, dims: readonly number[], values: ArrayLike<number>): OnnxTensor {
  return rawTensor(name, onnxType.float, dims, Float32Array.from(values));
}

/** An int64 constant; the ONNX operators take shapes, axes and positions in this type. */
export function int64Tensor(name: string, dims: readonly number[], values: readonly (number | bigint)[]): OnnxTensor {
  return rawTensor(name, onnxType.int64, dims, BigInt64Array.from(values.map(BigInt)));
}

/** A constant from a typed array; its byte order is that of the machine, and ONNX Runtime runs on little-endian ones. */
export function rawTensor(
  name: string,
  dataType: number,
  dims: readonly number[],
  values: ArrayBufferView,
): OnnxTensor {
  const data = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return { name, dataType, dims, data, unknown: [] };
}

/** Input or output of a graph. A dimension is a number, or a name for one that varies; no shape leaves it open. */
export function valueInfo(name: string, elementType: number, shape?: readonly (number | string)[]): OnnxValueInfo {
  const dims = shape?.flatMap((dim) =>
    lengthField(1, typeof dim === "number" ? varintField(1, dim) : textField(2, dim)),
  );
  const tensorType = [...varintField(1, elementType), ...(dims ? lengthField(2, dims) : [])];
  return { name, type: joinChunks(lengthField(1, tensorType)), unknown: [] };
}

/** A graph without anything unknown. */
export function onnxGraph(graph: Omit<OnnxGraph, "unknown">): OnnxGraph {
  return { ...graph, unknown: [] };
}

/** A model of the standard operators. IR version 8 goes with operator set 17 and below, 9 with 19. */
export function onnxModel(graph: OnnxGraph, options: { irVersion?: number; opset?: number } = {}): OnnxModel {
  return {
    irVersion: options.irVersion ?? 8,
    producer: "katari",
    opsets: [{ domain: "", version: options.opset ?? 17 }],
    graph,
    unknown: [],
  };
}

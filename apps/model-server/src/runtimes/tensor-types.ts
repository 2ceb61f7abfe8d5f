import { bytesElements, elementCount, joinBytesElements } from "@katari/inference/kserve";
import { AppError } from "@katari/core";
import type { Tensor, TensorDatatype } from "@katari/contracts";
import { Tensor as OnnxTensor } from "onnxruntime-node";

type NumericArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array;

interface NumericType {
  readonly onnx: OnnxTensor.Type;
  readonly view: new (buffer: ArrayBufferLike, byteOffset: number, length: number) => NumericArray;
  readonly bytes: number;
}

const numericTypes: Readonly<Partial<Record<TensorDatatype, NumericType>>> = {
  BOOL: { onnx: "bool", view: Uint8Array, bytes: 1 },
  UINT8: { onnx: "uint8", view: Uint8Array, bytes: 1 },
  UINT16: { onnx: "uint16", view: Uint16Array, bytes: 2 },
  UINT32: { onnx: "uint32", view: Uint32Array, bytes: 4 },
  UINT64: { onnx: "uint64", view: BigUint64Array, bytes: 8 },
  INT8: { onnx: "int8", view: Int8Array, bytes: 1 },
  INT16: { onnx: "int16", view: Int16Array, bytes: 2 },
  INT32: { onnx: "int32", view: Int32Array, bytes: 4 },
  INT64: { onnx: "int64", view: BigInt64Array, bytes: 8 },
  FP16: { onnx: "float16", view: Uint16Array, bytes: 2 },
  FP32: { onnx: "float32", view: Float32Array, bytes: 4 },
  FP64: { onnx: "float64", view: Float64Array, bytes: 8 },
};

const datatypeOfOnnx: ReadonlyMap<string, TensorDatatype> = new Map(
  (Object.entries(numericTypes) as [TensorDatatype, NumericType][]).map(([datatype, type]) => [type.onnx, datatype]),
);

/** KServe name of an ONNX Runtime element type. Throws `invalid-argument` for types that have none. */
export function datatypeOf(onnxType: string): TensorDatatype {
  if (onnxType === "string") return "BYTES";
  const datatype = datatypeOfOnnx.get(onnxType);
  if (!datatype) throw new AppError("invalid-argument", `Tensors of type ${onnxType} cannot be sent.`);
  return datatype;
}

/** An ONNX Runtime tensor over the same memory where alignment allows. */
export function toOnnx(tensor: Tensor): OnnxTensor {
  if (tensor.datatype === "BYTES") {
    const strings = bytesElements(tensor.name, tensor.data).map((element) => new TextDecoder().decode(element));
    return new OnnxTensor("string", strings, tensor.shape);
  }
  const type = numericTypes[tensor.datatype];
  if (!type) throw new AppError("invalid-argument", `Tensors of type ${tensor.datatype} cannot be run.`);
  const data = tensor.data.byteOffset % type.bytes === 0 ? tensor.data : Uint8Array.from(tensor.data);
  const values = new type.view(data.buffer, data.byteOffset, elementCount(tensor.shape));
  return new OnnxTensor(type.onnx, values as OnnxTensor.DataType, tensor.shape);
}

/** The tensor on the wire; numbers stay in the memory that ONNX Runtime filled. */
export function fromOnnx(name: string, tensor: OnnxTensor): Tensor {
  const datatype = datatypeOf(tensor.type);
  const shape = [...tensor.dims];
  if (tensor.type === "string") {
    const elements = (tensor.data as string[]).map((value) => new TextEncoder().encode(value));
    return { name, datatype, shape, data: joinBytesElements(elements) };
  }
  const values = tensor.data as NumericArray;
  return { name, datatype, shape, data: new Uint8Array(values.buffer, values.byteOffset, values.byteLength) };
}

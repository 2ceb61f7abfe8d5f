import type { Tensor, TensorDatatype } from "@katari/contracts";
import { InferenceError } from "../inference-error.ts";

/** Bytes of one element; 0 for BYTES, whose elements each carry their length. */
export const elementBytes: Readonly<Record<TensorDatatype, number>> = {
  BOOL: 1,
  UINT8: 1,
  UINT16: 2,
  UINT32: 4,
  UINT64: 8,
  INT8: 1,
  INT16: 2,
  INT32: 4,
  INT64: 8,
  FP16: 2,
  FP32: 4,
  FP64: 8,
  BYTES: 0,
};

/** Number of elements of a shape; 1 for a scalar. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, 1);
}

/** An `invalid-argument` that a request's own content causes: nothing ran. */
export function invalidTensor(message: string): InferenceError {
  return new InferenceError("invalid-argument", message, { mayHaveRun: false });
}

/** Checks that the data's length fits datatype and shape. Throws `invalid-argument`. */
export function checkTensor(tensor: Tensor): void {
  if (tensor.shape.some((dim) => !Number.isSafeInteger(dim) || dim < 0))
    throw invalidTensor(`unexpected shape for input '${tensor.name}': [${tensor.shape.join(",")}]`);
  const count = elementCount(tensor.shape);
  if (tensor.datatype === "BYTES") {
    const found = bytesElements(tensor.name, tensor.data).length;
    if (found !== count)
      throw invalidTensor(`unexpected number of elements ${found} for '${tensor.name}', expecting ${count}`);
    return;
  }
  const expected = count * elementBytes[tensor.datatype];
  if (tensor.data.byteLength !== expected)
    throw invalidTensor(
      `unexpected size for input '${tensor.name}', expecting ${expected} bytes, found ${tensor.data.byteLength}`,
    );
}

/** Elements of a BYTES tensor: each is a 4-byte little-endian length and its bytes. */
export function bytesElements(name: string, data: Uint8Array): Uint8Array[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const elements: Uint8Array[] = [];
  for (let at = 0; at < data.byteLength;) {
    const end = at + 4 <= data.byteLength ? at + 4 + view.getUint32(at, true) : Infinity;
    if (end > data.byteLength) throw invalidTensor(`unexpected end of the BYTES data of '${name}'`);
    elements.push(data.subarray(at + 4, end));
    at = end;
  }
  return elements;
}

/** Joins elements to the data of a BYTES tensor. */
export function joinBytesElements(elements: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(elements.reduce((sum, element) => sum + 4 + element.byteLength, 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const element of elements) {
    view.setUint32(at, element.byteLength, true);
    out.set(element, at + 4);
    at += 4 + element.byteLength;
  }
  return out;
}

/** The data at an offset that a typed array of its element type accepts; copies only where it must. */
export function alignedData(datatype: TensorDatatype, data: Uint8Array): Uint8Array {
  const width = elementBytes[datatype];
  return width < 2 || data.byteOffset % width === 0 ? data : Uint8Array.from(data);
}

type NumberWriter = (view: DataView, at: number, value: number) => void;

const writers: Readonly<Partial<Record<TensorDatatype, NumberWriter>>> = {
  UINT8: (view, at, value) => view.setUint8(at, value),
  UINT16: (view, at, value) => view.setUint16(at, value, true),
  UINT32: (view, at, value) => view.setUint32(at, value, true),
  INT8: (view, at, value) => view.setInt8(at, value),
  INT16: (view, at, value) => view.setInt16(at, value, true),
  INT32: (view, at, value) => view.setInt32(at, value, true),
  FP32: (view, at, value) => view.setFloat32(at, value, true),
  FP64: (view, at, value) => view.setFloat64(at, value, true),
};

type NumberReader = (view: DataView, at: number) => number | boolean;

const readers: Readonly<Partial<Record<TensorDatatype, NumberReader>>> = {
  BOOL: (view, at) => view.getUint8(at) !== 0,
  UINT8: (view, at) => view.getUint8(at),
  UINT16: (view, at) => view.getUint16(at, true),
  UINT32: (view, at) => view.getUint32(at, true),
  UINT64: (view, at) => Number(view.getBigUint64(at, true)),
  INT8: (view, at) => view.getInt8(at),
  INT16: (view, at) => view.getInt16(at, true),
  INT32: (view, at) => view.getInt32(at, true),
  INT64: (view, at) => Number(view.getBigInt64(at, true)),
  FP32: (view, at) => view.getFloat32(at, true),
  FP64: (view, at) => view.getFloat64(at, true),
};

/** Data of a tensor from its JSON form, flat or nested. Throws `invalid-argument`; FP16 has no JSON form. */
export function dataFromJson(name: string, datatype: TensorDatatype, json: readonly unknown[]): Uint8Array {
  const values: readonly unknown[] = json.flat(Infinity);
  if (datatype === "BYTES")
    return joinBytesElements(
      values.map((value) => {
        if (typeof value !== "string") throw invalidTensor(`Unable to parse JSON bytes array of '${name}'`);
        return new TextEncoder().encode(value);
      }),
    );
  const width = elementBytes[datatype];
  const out = new Uint8Array(values.length * width);
  const view = new DataView(out.buffer);
  values.forEach((value, index) => {
    const at = index * width;
    if (datatype === "BOOL") {
      if (typeof value !== "boolean") throw invalidTensor(`'${name}' wants true or false`);
      view.setUint8(at, value ? 1 : 0);
      return;
    }
    if (typeof value !== "number") throw invalidTensor(`'${name}' wants numbers`);
    if (datatype === "INT64" || datatype === "UINT64") {
      if (!Number.isSafeInteger(value))
        throw invalidTensor(`'${name}' wants whole numbers up to 2^53; send others as binary`);
      view.setBigInt64(at, BigInt(value), true);
      return;
    }
    const write = writers[datatype];
    if (!write) throw invalidTensor(`${datatype} has no JSON form; send '${name}' as binary`);
    write(view, at, value);
  });
  return out;
}

/** Flat JSON form of a tensor's data. Throws `invalid-argument` for FP16, which has none. */
export function dataToJson(tensor: Tensor): (number | boolean | string)[] {
  if (tensor.datatype === "BYTES")
    return bytesElements(tensor.name, tensor.data).map((element) => new TextDecoder().decode(element));
  const read = readers[tensor.datatype];
  if (!read) throw invalidTensor(`${tensor.datatype} has no JSON form; ask for '${tensor.name}' as binary`);
  const width = elementBytes[tensor.datatype];
  const view = new DataView(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
  return Array.from({ length: tensor.data.byteLength / width }, (_, index) => read(view, index * width));
}

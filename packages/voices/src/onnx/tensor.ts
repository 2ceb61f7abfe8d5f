import { AppError } from "@katari/core";
import type { Chunks, WireField } from "./wire.ts";
import { fieldIntegers, fieldText, lengthField, readFields, textField, varintField } from "./wire.ts";

/** TensorProto.DataType of the types that occur here. */
export const onnxType = {
  float: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  int64: 7,
  bool: 9,
} as const;

/** A constant. The data is little-endian, row by row. */
export interface OnnxTensor {
  readonly name: string;
  /** One of `onnxType`, or another number of TensorProto.DataType. */
  readonly dataType: number;
  readonly dims: readonly number[];
  /** Empty where the file keeps the data in fields of `unknown`. */
  readonly data: Uint8Array;
  readonly unknown: readonly Uint8Array[];
}

/** Reads one TensorProto. */
export function decodeTensor(bytes: Uint8Array): OnnxTensor {
  let name = "";
  let dataType = 0;
  let data = new Uint8Array(0) as Uint8Array;
  const dims: number[] = [];
  const numbers: bigint[] = [];
  const numberFields: WireField[] = [];
  const unknown: Uint8Array[] = [];
  for (const field of readFields(bytes)) {
    if (field.number === 1) dims.push(...fieldIntegers(field).map(Number));
    else if (field.number === 2) dataType = Number(field.varint);
    else if (field.number === 5 || field.number === 7) {
      numbers.push(...fieldIntegers(field));
      numberFields.push(field);
    } else if (field.number === 8) name = fieldText(field);
    else if (field.number === 9) data = field.bytes;
    else unknown.push(field.raw);
  }
  const packed = numbers.length > 0 && data.length === 0 ? packIntegers(dataType, numbers) : undefined;
  if (packed) data = packed;
  else unknown.push(...numberFields.map((field) => field.raw));
  return { name, dataType, dims, data, unknown };
}

/** Writes one TensorProto, data as `raw_data`. */
export function encodeTensor(tensor: OnnxTensor): Chunks {
  const empty = tensor.data.length === 0 && tensor.unknown.length > 0;
  return [
    ...tensor.dims.flatMap((dim) => varintField(1, dim)),
    ...varintField(2, tensor.dataType),
    ...(tensor.name === "" ? [] : textField(8, tensor.name)),
    ...(empty ? [] : lengthField(9, [tensor.data])),
    ...tensor.unknown,
  ];
}

/** Elements of a tensor of whole numbers. Throws `voice-damaged` for other types or a wrong length. */
export function tensorIntegers(tensor: OnnxTensor): number[] {
  const width = integerWidth[tensor.dataType];
  const count = tensor.dims.reduce((product, dim) => product * dim, 1);
  if (width === undefined || tensor.data.length !== count * width)
    throw new AppError("voice-damaged", `The model's constant ${tensor.name} is not made of whole numbers.`);
  const view = new DataView(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
  return Array.from({ length: count }, (_, at) => {
    switch (tensor.dataType) {
      case onnxType.int8:
        return view.getInt8(at);
      case onnxType.int32:
        return view.getInt32(at * 4, true);
      case onnxType.int64:
        return Number(view.getBigInt64(at * 8, true));
      default:
        return view.getUint8(at);
    }
  });
}

const integerWidth: Readonly<Record<number, number>> = {
  [onnxType.uint8]: 1,
  [onnxType.int8]: 1,
  [onnxType.bool]: 1,
  [onnxType.int32]: 4,
  [onnxType.int64]: 8,
};

function packIntegers(dataType: number, values: readonly bigint[]): Uint8Array | undefined {
  const width = integerWidth[dataType];
  if (width === undefined) return undefined;
  const bytes = new Uint8Array(values.length * width);
  const view = new DataView(bytes.buffer);
  for (const [at, value] of values.entries()) {
    if (width === 1) view.setUint8(at, Number(BigInt.asUintN(8, value)));
    else if (width === 4) view.setInt32(at * 4, Number(value), true);
    else view.setBigInt64(at * 8, value, true);
  }
  return bytes;
}

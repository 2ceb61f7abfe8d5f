import { decodeTensor, encodeTensor, type OnnxTensor } from "./tensor.ts";
import type { Chunks } from "./wire.ts";
import {
  fieldIntegers,
  fieldText,
  floatField,
  joinChunks,
  lengthField,
  readFields,
  textField,
  varintField,
} from "./wire.ts";

/** An attribute of a node. `raw` holds those of kinds that no rewrite reads (nested graphs, for one), as they came. */
export type OnnxAttribute =
  | { readonly kind: "int"; readonly name: string; readonly value: number }
  | { readonly kind: "ints"; readonly name: string; readonly value: readonly number[] }
  | { readonly kind: "float"; readonly name: string; readonly value: number }
  | { readonly kind: "text"; readonly name: string; readonly value: string }
  | { readonly kind: "tensor"; readonly name: string; readonly value: OnnxTensor }
  | { readonly kind: "raw"; readonly name: string; readonly raw: Uint8Array };

/** AttributeProto.AttributeType. */
const attributeType = { float: 1, int: 2, text: 3, tensor: 4, ints: 7 } as const;

/** Field of AttributeProto that holds the value of each type. */
const valueField = { float: 2, int: 3, text: 4, tensor: 5, ints: 8 } as const;

/** Reads one AttributeProto. */
export function decodeAttribute(bytes: Uint8Array): OnnxAttribute {
  const fields = readFields(bytes);
  const nameField = fields.find((field) => field.number === 1);
  const name = nameField ? fieldText(nameField) : "";
  const raw: OnnxAttribute = { kind: "raw", name, raw: bytes };
  const type = fields.find((field) => field.number === 20);
  const values = fields.filter((field) => field.number !== 1 && field.number !== 20);
  if (!type) return raw;
  const only = (kind: keyof typeof valueField): boolean =>
    Number(type.varint) === attributeType[kind] && values.every((field) => field.number === valueField[kind]);
  const [first] = values;
  if (only("ints")) {
    const integers = values.flatMap(fieldIntegers).map(Number);
    return integers.every(Number.isSafeInteger) ? { kind: "ints", name, value: integers } : raw;
  }
  if (values.length !== 1 || !first) return raw;
  if (only("int")) {
    const value = Number(BigInt.asIntN(64, first.varint));
    return Number.isSafeInteger(value) ? { kind: "int", name, value } : raw;
  }
  if (only("float")) {
    const value = new DataView(first.bytes.buffer, first.bytes.byteOffset, 4).getFloat32(0, true);
    // A NaN may carry bits that a number does not keep.
    return Number.isNaN(value) ? raw : { kind: "float", name, value };
  }
  if (only("text")) {
    const value = fieldText(first);
    return sameBytes(new TextEncoder().encode(value), first.bytes) ? { kind: "text", name, value } : raw;
  }
  if (only("tensor")) return { kind: "tensor", name, value: decodeTensor(first.bytes) };
  return raw;
}

/** Writes one AttributeProto. */
export function encodeAttribute(attribute: OnnxAttribute): Chunks {
  if (attribute.kind === "raw") return [attribute.raw];
  return [
    ...textField(1, attribute.name),
    ...encodeValue(attribute),
    ...varintField(20, attributeType[attribute.kind]),
  ];
}

function encodeValue(attribute: Exclude<OnnxAttribute, { kind: "raw" }>): Chunks {
  const number = valueField[attribute.kind];
  switch (attribute.kind) {
    case "int":
      return varintField(number, attribute.value);
    case "ints":
      return attribute.value.flatMap((value) => [joinChunks(varintField(number, value))]);
    case "float":
      return floatField(number, attribute.value);
    case "text":
      return textField(number, attribute.value);
    case "tensor":
      return lengthField(number, encodeTensor(attribute.value));
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

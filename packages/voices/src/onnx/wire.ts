import { AppError } from "@katari/core";

/**
 * The wire format of Protocol Buffers (https://protobuf.dev/programming-guides/encoding), as far as ONNX files need it.
 * A field keeps the bytes it came with, so that what nobody understands is written back as it was. No generated code:
 * a model is one 90 MB message, and what is kept here are views into it, never copies.
 */
export interface WireField {
  readonly number: number;
  /** 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes. */
  readonly wireType: 0 | 1 | 2 | 5;
  /** The whole field as it stands in the file: key, length, value. */
  readonly raw: Uint8Array;
  /** Payload of a length-delimited field, or the 4 or 8 bytes of a fixed one; empty for a varint. */
  readonly bytes: Uint8Array;
  /** Value of a varint, as unsigned 64 bits; 0 for all others. */
  readonly varint: bigint;
}

/** Bytes in order, to be joined once when the file is written. */
export type Chunks = readonly Uint8Array[];

const damaged = (what: string): AppError =>
  new AppError("voice-damaged", `The model file is damaged: ${what}.`, {
    cure: "Install the voice again with `katari voices add`.",
  });

function readVarint(bytes: Uint8Array, start: number): { value: bigint; end: number } {
  let low = 0;
  for (let at = start, shift = 0; at < bytes.length && shift < 28; at++, shift += 7) {
    const byte = bytes[at] ?? 0;
    low |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value: BigInt(low), end: at + 1 };
  }
  let value = 0n;
  for (let at = start, shift = 0n; at < bytes.length && shift < 70n; at++, shift += 7n) {
    const byte = bytes[at] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: at + 1 };
  }
  throw damaged("a number does not end");
}

/** Reads the fields of one message. Throws `voice-damaged` where the bytes are no message. */
export function readFields(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  while (at < bytes.length) {
    const start = at;
    const key = readVarint(bytes, at);
    const wireType = Number(key.value & 7n);
    const number = Number(key.value >> 3n);
    if (number === 0) throw damaged("field number 0");
    at = key.end;
    let varint = 0n;
    let payloadStart = at;
    switch (wireType) {
      case 0: {
        const read = readVarint(bytes, at);
        varint = read.value;
        at = payloadStart = read.end;
        break;
      }
      case 1:
        at += 8;
        break;
      case 2: {
        const length = readVarint(bytes, at);
        payloadStart = length.end;
        at = length.end + Number(length.value);
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        throw damaged(`wire type ${wireType}`);
    }
    if (at > bytes.length) throw damaged("a field reaches over the end");
    fields.push({
      number,
      wireType,
      raw: bytes.subarray(start, at),
      bytes: bytes.subarray(payloadStart, at),
      varint,
    });
  }
  return fields;
}

/** A varint; negative numbers are written as 64-bit two's complement, as protobuf's int64 wants it. */
export function varintBytes(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value));
  const out: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    out.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Uint8Array.from(out);
}

export function varintField(number: number, value: number | bigint): Chunks {
  return [varintBytes(number * 8), varintBytes(value)];
}

export function floatField(number: number, value: number): Chunks {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return [varintBytes(number * 8 + 5), bytes];
}

/** A length-delimited field whose payload is given in chunks. */
export function lengthField(number: number, payload: Chunks): Chunks {
  return [varintBytes(number * 8 + 2), varintBytes(chunksLength(payload)), ...payload];
}

export function textField(number: number, value: string): Chunks {
  return lengthField(number, [new TextEncoder().encode(value)]);
}

function chunksLength(chunks: Chunks): number {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  return length;
}

/** Joins the chunks: the one copy that writing a model makes. */
export function joinChunks(chunks: Chunks): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(chunksLength(chunks));
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

/** Text of a length-delimited field. */
export function fieldText(field: WireField): string {
  return new TextDecoder().decode(field.bytes);
}

/** All numbers of a repeated varint field, packed or not, as signed 64 bits. */
export function fieldIntegers(field: WireField): bigint[] {
  if (field.wireType === 0) return [BigInt.asIntN(64, field.varint)];
  const out: bigint[] = [];
  for (let at = 0; at < field.bytes.length;) {
    const read = readVarint(field.bytes, at);
    out.push(BigInt.asIntN(64, read.value));
    at = read.end;
  }
  return out;
}

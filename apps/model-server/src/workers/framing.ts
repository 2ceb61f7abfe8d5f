import { AppError } from "@katari/core";
import { tensorDatatypes, type Tensor } from "@katari/contracts";
import { z } from "zod";

/**
 * What parent and child say to each other over one socket:
 *
 *     u32 length of all that follows │ u8 kind │ u32 request id │ u32 length of the header │ header (JSON) │ raw tensors
 *
 * Numbers are little-endian. The header's `tensors` names the raw tensors in order; their data stands behind it
 * without gaps. Both ends are ours and of one build, so there is no version; limits guard against a stream that lost
 * its step, which ends the child.
 */
export const frameKinds = {
  /** Parent → child. */
  load: 1,
  infer: 2,
  cancel: 3,
  drain: 4,
  /** Child → parent. */
  loaded: 16,
  chunk: 17,
  done: 18,
  failed: 19,
} as const;
export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

export interface Frame {
  readonly kind: FrameKind;
  /** Whose answer this is; 0 for what belongs to no request. */
  readonly requestId: number;
  /** Anything small; must not have a key `tensors`. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly tensors: readonly Tensor[];
}

export interface FrameLimits {
  readonly maxFrameBytes: number;
  readonly maxHeaderBytes: number;
}

const defaultFrameLimits: FrameLimits = { maxFrameBytes: 512 * 1024 * 1024, maxHeaderBytes: 1024 * 1024 };

const fixedBytes = 9;
const knownKinds: ReadonlySet<number> = new Set(Object.values(frameKinds));
const headerSchema = z.looseObject({
  tensors: z
    .array(
      z.object({
        name: z.string(),
        datatype: z.enum(tensorDatatypes),
        shape: z.array(z.int().nonnegative()),
        size: z.int().nonnegative(),
      }),
    )
    .default([]),
});

/** Writes a frame in pieces: one for everything small, then the tensors' own memory. */
export function encodeFrame(frame: Frame, limits: FrameLimits = defaultFrameLimits): readonly Uint8Array[] {
  const described = frame.tensors.map(({ name, datatype, shape, data }) => ({
    name,
    datatype,
    shape,
    size: data.byteLength,
  }));
  const header = Buffer.from(JSON.stringify({ ...frame.header, tensors: described }), "utf8");
  const dataBytes = frame.tensors.reduce((sum, tensor) => sum + tensor.data.byteLength, 0);
  const length = fixedBytes + header.byteLength + dataBytes;
  if (length > limits.maxFrameBytes || header.byteLength > limits.maxHeaderBytes)
    throw new AppError("too-large", `A frame of ${length} bytes is larger than parent and child may exchange.`, {
      cure: "Send shorter pieces of text.",
    });
  const head = Buffer.allocUnsafe(4 + fixedBytes + header.byteLength);
  head.writeUInt32LE(length, 0);
  head.writeUInt8(frame.kind, 4);
  head.writeUInt32LE(frame.requestId, 5);
  head.writeUInt32LE(header.byteLength, 9);
  header.copy(head, 4 + fixedBytes);
  return [head, ...frame.tensors.map((tensor) => tensor.data)];
}

/** Takes pieces of the stream as they come and gives the frames that they complete. Throws `internal` when out of step. */
export interface FrameReader {
  push(piece: Uint8Array): Frame[];
}

export function createFrameReader(limits: FrameLimits = defaultFrameLimits): FrameReader {
  const prefix = Buffer.alloc(4);
  let prefixFilled = 0;
  let frame: Buffer | undefined;
  let filled = 0;

  return {
    push(piece) {
      const frames: Frame[] = [];
      let at = 0;
      while (at < piece.byteLength) {
        if (!frame) {
          const take = Math.min(4 - prefixFilled, piece.byteLength - at);
          prefix.set(piece.subarray(at, at + take), prefixFilled);
          prefixFilled += take;
          at += take;
          if (prefixFilled < 4) break;
          const length = prefix.readUInt32LE(0);
          if (length < fixedBytes || length > limits.maxFrameBytes) throw outOfStep(`length ${length}`);
          // Memory of its own: tensors of a frame are views into it and outlive this call.
          frame = Buffer.allocUnsafeSlow(length);
          filled = 0;
        }
        const take = Math.min(frame.byteLength - filled, piece.byteLength - at);
        frame.set(piece.subarray(at, at + take), filled);
        filled += take;
        at += take;
        if (filled < frame.byteLength) break;
        frames.push(decodeFrame(frame, limits));
        frame = undefined;
        prefixFilled = 0;
      }
      return frames;
    },
  };
}

function decodeFrame(bytes: Buffer, limits: FrameLimits): Frame {
  const kind = bytes.readUInt8(0);
  const headerBytes = bytes.readUInt32LE(5);
  const dataStart = fixedBytes + headerBytes;
  if (!isFrameKind(kind)) throw outOfStep(`kind ${kind}`);
  if (headerBytes > limits.maxHeaderBytes || dataStart > bytes.byteLength) throw outOfStep(`header of ${headerBytes}`);
  const parsed = headerSchema.safeParse(parseHeader(bytes.subarray(fixedBytes, dataStart)));
  if (!parsed.success) throw outOfStep("a header of another shape");
  const { tensors: described, ...header } = parsed.data;
  let at = dataStart;
  const tensors = described.map(({ name, datatype, shape, size }): Tensor => {
    const data = bytes.subarray(at, at + size);
    if (data.byteLength !== size) throw outOfStep(`tensor ${name} is cut`);
    at += size;
    return { name, datatype, shape, data };
  });
  if (at !== bytes.byteLength) throw outOfStep("bytes behind the last tensor");
  return { kind, requestId: bytes.readUInt32LE(1), header, tensors };
}

function isFrameKind(kind: number): kind is FrameKind {
  return knownKinds.has(kind);
}

function parseHeader(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

function outOfStep(what: string): AppError {
  return new AppError("internal", `Parent and child of the model server do not understand each other: ${what}.`);
}

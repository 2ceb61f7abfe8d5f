import { inflateRawSync } from "node:zlib";
import { AppError } from "@katari/core";

/** One array of an `.npz` file: `values` are in C order. A text entry (`<U…`) comes as `text`. */
export interface NpzArray {
  readonly shape: readonly number[];
  readonly values: Float32Array;
  readonly text?: string;
}

const damaged = (what: string): AppError =>
  new AppError("voice-damaged", `The model for unknown words cannot be read: ${what}.`, {
    cure: "Install the voice again with `katari voices add`.",
  });

function parseArray(name: string, bytes: Uint8Array): NpzArray {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 12 || bytes[0] !== 0x93) throw damaged(`${name} is not an array`);
  const wide = (bytes[6] ?? 1) > 1;
  const start = wide ? 12 : 10;
  const length = wide ? view.getUint32(8, true) : view.getUint16(8, true);
  const header = Buffer.from(bytes.subarray(start, start + length)).toString("latin1");
  const descr = /'descr':\s*'([^']+)'/.exec(header)?.[1] ?? "";
  const shape = (/'shape':\s*\(([^)]*)\)/.exec(header)?.[1] ?? "").split(",").filter((part) => part.trim() !== "");
  // A copy, so that it is aligned (slice() of a Buffer is only a view).
  const data = Uint8Array.from(bytes.subarray(start + length));
  if (descr.startsWith("<U")) {
    const codes = new Uint32Array(data.buffer, 0, Math.floor(data.byteLength / 4));
    let text = "";
    for (const code of codes) if (code !== 0) text += String.fromCodePoint(code);
    return { shape: [], values: new Float32Array(0), text };
  }
  if (descr !== "<f4" || header.includes("'fortran_order': True")) throw damaged(`${name} has the type ${descr}`);
  return { shape: shape.map(Number), values: new Float32Array(data.buffer, 0, Math.floor(data.byteLength / 4)) };
}

/**
 * Reads the arrays of an `.npz` file (a zip of `.npy` files, NumPy format 1.0 and 2.0; float32 and text only), by the
 * zip's central directory. Throws `voice-damaged` for anything else.
 */
export function readNpz(file: Uint8Array): Map<string, NpzArray> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let tail = file.byteLength - 22;
  while (tail >= 0 && view.getUint32(tail, true) !== 0x06054b50) tail--;
  if (tail < 0) throw damaged("it is not a zip file");
  const arrays = new Map<string, NpzArray>();
  let at = view.getUint32(tail + 16, true);
  try {
    for (let left = view.getUint16(tail + 10, true); left > 0; left--) {
      const method = view.getUint16(at + 10, true);
      const size = view.getUint32(at + 20, true);
      const nameLength = view.getUint16(at + 28, true);
      const local = view.getUint32(at + 42, true);
      const name = Buffer.from(file.subarray(at + 46, at + 46 + nameLength)).toString("utf8");
      const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      const packed = file.subarray(from, from + size);
      arrays.set(name.replace(/\.npy$/, ""), parseArray(name, method === 8 ? inflateRawSync(packed) : packed));
      at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    }
  } catch (error) {
    throw error instanceof AppError
      ? error
      : new AppError("voice-damaged", "The model for unknown words is damaged.", {
          cure: "Install the voice again with `katari voices add`.",
          cause: error,
        });
  }
  return arrays;
}

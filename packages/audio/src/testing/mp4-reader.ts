/** A small reader of MP4 boxes, written apart from the writer, for tests. */
export interface ReadBox {
  readonly type: string;
  readonly start: number;
  readonly body: Uint8Array;
}

/** The boxes in `bytes`; `start` is where each begins. */
export function boxesIn(bytes: Uint8Array): ReadBox[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: ReadBox[] = [];
  let at = 0;
  while (at + 8 <= bytes.length) {
    let size = view.getUint32(at);
    let head = 8;
    if (size === 1) {
      size = Number(view.getBigUint64(at + 8));
      head = 16;
    }
    if (size < head || at + size > bytes.length) throw new Error(`box of ${size} bytes at ${at} of ${bytes.length}`);
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString("latin1");
    found.push({ type, start: at, body: bytes.subarray(at + head, at + size) });
    at += size;
  }
  if (at !== bytes.length) throw new Error("loose bytes after the last box");
  return found;
}

/** The body of the box at a path such as `moov/trak:1/mdia`; `:n` picks among boxes of one name. */
export function boxAt(bytes: Uint8Array, path: string): Uint8Array {
  let body = bytes;
  for (const part of path.split("/")) {
    const [type, index = "0"] = part.split(":");
    const found = boxesIn(body).filter((box) => box.type === type)[Number(index)];
    if (!found) throw new Error(`no ${part} of ${path}`);
    // `meta` is a full box here: its children come after version and flags.
    body = type === "meta" ? found.body.subarray(4) : found.body;
  }
  return body;
}

export const uint32s = (bytes: Uint8Array, from: number, count: number): number[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: count }, (_, i) => view.getUint32(from + i * 4));
};

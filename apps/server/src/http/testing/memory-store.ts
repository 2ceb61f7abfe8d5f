import { AppError } from "@katari/core";
import type { ObjectStore } from "@katari/storage";

/** An object store in memory for tests of the door, with what the door asks of one: `put`, `get`, `stream`, `head`. */
export function createMemoryStore(): ObjectStore {
  const objects = new Map<string, Uint8Array>();
  const find = (key: string): Uint8Array => {
    const bytes = objects.get(key);
    if (!bytes) throw new AppError("not-found", `There is no object ${key}.`);
    return bytes;
  };
  const info = (key: string, bytes: Uint8Array) => ({ key, sizeBytes: bytes.length, modifiedAtMs: 0 });
  return {
    async put(key, body) {
      const parts: Uint8Array[] = [];
      if (body instanceof Uint8Array) parts.push(body);
      else for await (const part of body) parts.push(part);
      const bytes = new Uint8Array(Buffer.concat(parts));
      objects.set(key, bytes);
      return info(key, bytes);
    },
    get: async (key, options) => find(key).slice(...(options?.range ?? [])),
    async *stream(key, options) {
      const bytes = find(key).slice(...(options?.range ?? []));
      for (let at = 0; at < bytes.length; at += 65_536) {
        options?.signal?.throwIfAborted();
        yield bytes.subarray(at, at + 65_536);
      }
    },
    async head(key) {
      const bytes = objects.get(key);
      return bytes && info(key, bytes);
    },
    async *list(prefix) {
      for (const [key, bytes] of objects) if (key.startsWith(prefix)) yield info(key, bytes);
    },
    async delete(keys) {
      for (const key of keys) objects.delete(key);
    },
  };
}

/** A 16-bit mono WAV with a `LIST` chunk before its samples, as some writers make it. */
export function wavOf(samples: Int16Array, sampleRate: number): Uint8Array {
  const list = Buffer.from("LIST\u0004\0\0\0INFO", "latin1");
  const format = Buffer.alloc(24);
  format.write("fmt ", 0, "latin1");
  format.writeUInt32LE(16, 4);
  format.writeUInt16LE(1, 8);
  format.writeUInt16LE(1, 10);
  format.writeUInt32LE(sampleRate, 12);
  format.writeUInt32LE(sampleRate * 2, 16);
  format.writeUInt16LE(2, 20);
  format.writeUInt16LE(16, 22);
  const data = Buffer.alloc(8 + samples.length * 2);
  data.write("data", 0, "latin1");
  data.writeUInt32LE(samples.length * 2, 4);
  samples.forEach((sample, index) => data.writeInt16LE(sample, 8 + index * 2));
  const riff = Buffer.alloc(12);
  riff.write("RIFF", 0, "latin1");
  riff.writeUInt32LE(4 + list.length + format.length + data.length, 4);
  riff.write("WAVE", 8, "latin1");
  return Buffer.concat([riff, format, list, data]);
}

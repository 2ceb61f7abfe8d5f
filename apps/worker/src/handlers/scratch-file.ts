import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

/** Runs work with a path for a file of its own, and removes whatever is there afterwards. */
export async function withScratchFile<T>(
  folder: string,
  ending: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(folder, `${randomUUID()}${ending}`);
  try {
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}

/** A file's bytes, piece by piece. */
export async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(path)) yield chunk as Uint8Array;
}

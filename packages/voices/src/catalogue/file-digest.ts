import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/** sha256 of a file, in hex, read as a stream. */
export async function fileDigest(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash, signal ? { signal } : {});
  return hash.digest("hex");
}

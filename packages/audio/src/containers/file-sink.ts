import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { AppError } from "@katari/core";

/** Writes a file from front to back through one buffer, and parts of it once more where a size was not known before. */
export interface FileSink {
  /** Bytes appended so far. */
  readonly position: number;
  append(bytes: Uint8Array): Promise<void>;
  overwrite(position: number, bytes: Uint8Array): Promise<void>;
  /** Flushes, fsyncs and closes, and reads the file once to name it by content. */
  finish(): Promise<{ readonly sizeBytes: number; readonly sha256: string }>;
  /** Closes without finishing. Safe to call after `finish`, and twice. */
  close(): Promise<void>;
}

const bufferBytes = 1 << 18;

/** Opens (and empties) the file at `path`. All its methods throw `AppError`s made from the system's errors. */
export async function openFileSink(path: string): Promise<FileSink> {
  const handle = await open(path, "w+").catch((error: unknown) => {
    throw AppError.from(error);
  });
  const buffer = new Uint8Array(bufferBytes);
  let buffered = 0;
  let written = 0;
  let closed = false;
  const writeAll = async (bytes: Uint8Array, position: number) => {
    let done = 0;
    while (done < bytes.length) {
      const { bytesWritten } = await handle
        .write(bytes, done, bytes.length - done, position + done)
        .catch((error: unknown) => {
          throw AppError.from(error);
        });
      done += bytesWritten;
    }
  };
  const drain = async () => {
    if (buffered === 0) return;
    await writeAll(buffer.subarray(0, buffered), written);
    written += buffered;
    buffered = 0;
  };
  const close = async () => {
    if (closed) return;
    closed = true;
    await handle.close();
  };
  return {
    get position() {
      return written + buffered;
    },
    async append(bytes) {
      if (buffered + bytes.length > bufferBytes) await drain();
      if (bytes.length > bufferBytes) {
        await writeAll(bytes, written);
        written += bytes.length;
        return;
      }
      buffer.set(bytes, buffered);
      buffered += bytes.length;
    },
    async overwrite(position, bytes) {
      await drain();
      await writeAll(bytes, position);
    },
    async finish() {
      try {
        await drain();
        await handle.sync();
        const hash = createHash("sha256");
        let at = 0;
        for (;;) {
          const { bytesRead } = await handle.read(buffer, 0, bufferBytes, at);
          if (bytesRead === 0) break;
          hash.update(buffer.subarray(0, bytesRead));
          at += bytesRead;
        }
        return { sizeBytes: at, sha256: hash.digest("hex") };
      } catch (error) {
        throw AppError.from(error);
      } finally {
        await close();
      }
    },
    close,
  };
}

import type { Readable } from "node:stream";
import yauzl from "yauzl";
import { AppError } from "@katari/core";
import { foldPath } from "./paths.ts";

/** Limits that no real book meets; what meets them was made to fill memory. */
export const archiveLimits = {
  entries: 50_000,
  /** One page or package file, unpacked. */
  pageBytes: 64 * 1024 * 1024,
  imageBytes: 32 * 1024 * 1024,
  /** All that is unpacked while one book is read. */
  totalBytes: 1024 * 1024 * 1024,
  /** Unpacked size over packed size above which a file of more than a mebibyte is refused. */
  ratio: 300,
} as const;

/** A ZIP archive that is open for random access. */
export interface Archive {
  /** Names of all files, as written in the archive. */
  readonly names: ReadonlySet<string>;
  /** Whether `read` finds a file by that name, also where the archive writes it in another case or form. */
  has(name: string): boolean;
  /**
   * Unpacks one file.
   * @throws AppError `damaged-source` (no such file, wrong size or data), `encrypted-source`, `too-large`, `cancelled`
   */
  read(name: string, limitBytes?: number): Promise<Uint8Array>;
  close(): void;
}

const again = "Get the file again from where it came from: this copy is damaged.";

/**
 * Opens a ZIP archive and lists what it holds. Names that lead out of the archive are refused.
 * @throws AppError `damaged-source`, `too-large`, `not-found`, `no-permission`
 */
export async function openArchive(path: string, signal?: AbortSignal): Promise<Archive> {
  let zip: yauzl.ZipFile;
  try {
    zip = await yauzl.openPromise(path, { lazyEntries: true, autoClose: false });
  } catch (error) {
    throw zipError(error);
  }
  const entries = new Map<string, yauzl.Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      signal?.throwIfAborted();
      if (entries.size >= archiveLimits.entries) {
        throw tooLarge(`It holds more than ${String(archiveLimits.entries)} files.`);
      }
      if (!entry.fileName.endsWith("/") && !entries.has(entry.fileName)) entries.set(entry.fileName, entry);
    }
  } catch (error) {
    zip.close();
    throw zipError(error);
  }
  // Links are written in another case or Unicode form than the names of files often enough.
  const folded = new Map([...entries].map(([name, entry]) => [foldPath(name), entry]));
  let total = 0;
  return {
    names: new Set(entries.keys()),
    has: (name) => entries.has(name) || folded.has(foldPath(name)),
    async read(name, limitBytes = archiveLimits.pageBytes) {
      signal?.throwIfAborted();
      const entry = entries.get(name) ?? folded.get(foldPath(name));
      if (!entry)
        throw new AppError("damaged-source", `The book names a file that it does not hold: ${name}`, { cure: again });
      if (entry.isEncrypted()) throw encryptedArchive(name);
      const { uncompressedSize: size, compressedSize: packed } = entry;
      if (size > limitBytes) throw tooLarge(`${name} would unpack to ${String(size)} bytes.`);
      if (size > 1024 * 1024 && size / Math.max(1, packed) > archiveLimits.ratio) {
        throw tooLarge(`${name} unpacks to ${String(Math.round(size / Math.max(1, packed)))} times its size.`);
      }
      total += size;
      if (total > archiveLimits.totalBytes) throw tooLarge("All of it together would unpack to over a gibibyte.");
      try {
        return await collect(await zip.openReadStreamPromise(entry), size, signal);
      } catch (error) {
        throw zipError(error);
      }
    },
    close: () => {
      zip.close();
    },
  };
}

async function collect(stream: Readable, size: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let at = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      signal?.throwIfAborted();
      if (at + chunk.length > size) throw tooLarge("A file in it unpacks to more than it says.");
      bytes.set(chunk, at);
      at += chunk.length;
    }
  } finally {
    stream.destroy();
  }
  return bytes.subarray(0, at);
}

function tooLarge(why: string): AppError {
  return new AppError("too-large", `The archive is not a book that can be opened safely. ${why}`, {
    cure: "Check where the file comes from; save the book again with an EPUB editor if it is honest.",
  });
}

function encryptedArchive(name: string): AppError {
  return new AppError("encrypted-source", `The archive is protected by a password (${name}).`, {
    cure: "Unpack it with its password and pack it again without one.",
  });
}

function zipError(error: unknown): AppError {
  const known = AppError.from(error);
  if (known.code !== "internal") return known;
  const message = error instanceof Error ? error.message : "";
  if (message.includes("strong encryption")) return encryptedArchive("strong encryption");
  if (/invalid relative path|absolute path|invalid characters in fileName/u.test(message)) {
    return new AppError("damaged-source", "The archive names files outside itself, so it was not opened.", {
      cure: "Check where the file comes from; save the book again with an EPUB editor if it is honest.",
      cause: error,
    });
  }
  return new AppError("damaged-source", "The ZIP archive of the book is damaged or cut short.", {
    cure: again,
    cause: error,
  });
}

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, rename, stat, unlink, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, systemClock, type Clock } from "@katari/core";
import { parseObjectKey, parseObjectPrefix } from "./object-key.ts";
import type { GetOptions, ObjectInfo, ObjectStore } from "./object-store.ts";

export interface FileStoreOptions {
  /** Folder of the store; made when it is not there. */
  readonly root: string;
  readonly clock?: Clock;
  /** Age from which what a killed writer left behind is removed at start. Default 6 hours. */
  readonly staleAfterMs?: number;
}

const sixHoursMs = 6 * 3_600_000;
const chunkBytes = 256 * 1024;

/**
 * Objects as files: `objects/<key>` below the root, written by way of `temporary/`. Several processes may use one root.
 *
 * A `put` writes to a temporary file, flushes it to the disk, renames it, and flushes the folders that changed; so a
 * kill or a power cut at any moment leaves the old object, none, or the whole new one. What is left in `temporary/`
 * by a killed writer is removed when a store is opened later, once it is too old to belong to anybody.
 * One name cannot be both an object and the folder of others: such a `put` is `invalid-argument`.
 */
export async function createFileStore(options: FileStoreOptions): Promise<ObjectStore> {
  const clock = options.clock ?? systemClock;
  const objects = join(options.root, "objects");
  const temporary = join(options.root, "temporary");
  try {
    await mkdir(objects, { recursive: true });
    await mkdir(temporary, { recursive: true });
    await sweep(temporary, clock.now() - (options.staleAfterMs ?? sixHoursMs));
  } catch (error) {
    throw AppError.from(error);
  }
  const pathOf = (key: string): string => join(objects, ...parseObjectKey(key));

  const write = async (key: string, body: Body, signal: AbortSignal | undefined): Promise<ObjectInfo> => {
    const path = pathOf(key);
    signal?.throwIfAborted();
    const draft = join(temporary, randomUUID());
    try {
      await writeDurably(draft, body, signal);
      await place(draft, path, objects);
    } catch (error) {
      await unlinkIfThere(draft);
      throw error;
    }
    const { size, mtimeMs } = await stat(path);
    return { key, sizeBytes: size, modifiedAtMs: mtimeMs };
  };

  async function* read(key: string, { range, signal }: GetOptions): AsyncGenerator<Uint8Array> {
    const path = pathOf(key);
    const [start, end] = range ?? [0, Number.POSITIVE_INFINITY];
    if (!(start >= 0 && end >= start)) throw new AppError("invalid-argument", `[${start}, ${end}) is not a range.`);
    signal?.throwIfAborted();
    await using file = await openForReading(path, key);
    for (let position = start; position < end;) {
      signal?.throwIfAborted();
      const buffer = new Uint8Array(Math.min(chunkBytes, end - position));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      position += bytesRead;
    }
  }

  return {
    put: (key, body, options) => translated(() => write(key, body, options?.signal)),
    get: (key, options = {}) =>
      translated(async () => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of read(key, options)) chunks.push(chunk);
        return chunks.length === 1 && chunks[0] ? chunks[0] : new Uint8Array(Buffer.concat(chunks));
      }),
    async *stream(key, options = {}) {
      try {
        yield* read(key, options);
      } catch (error) {
        throw translate(error);
      }
    },
    head: (key, options) =>
      translated(async () => {
        const path = pathOf(key);
        options?.signal?.throwIfAborted();
        const found = await statIfThere(path);
        return found?.isFile() ? { key, sizeBytes: found.size, modifiedAtMs: found.mtimeMs } : undefined;
      }),
    async *list(prefix, options) {
      try {
        const { folders, begin } = parseObjectPrefix(prefix);
        yield* walk(join(objects, ...folders), folders, begin, options?.signal);
      } catch (error) {
        throw translate(error);
      }
    },
    delete: (keys, options) =>
      translated(async () => {
        const paths = keys.map(pathOf);
        for (const path of paths) {
          options?.signal?.throwIfAborted();
          await unlinkIfThere(path);
        }
      }),
  };
}

type Body = Uint8Array | AsyncIterable<Uint8Array>;

async function writeDurably(path: string, body: Body, signal: AbortSignal | undefined): Promise<void> {
  await using file = await open(path, "wx");
  if (body instanceof Uint8Array) await writeFully(file, body, signal);
  else for await (const chunk of body) await writeFully(file, chunk, signal);
  signal?.throwIfAborted();
  await file.sync();
}

async function writeFully(file: FileHandle, bytes: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    signal?.throwIfAborted();
    const { bytesWritten } = await file.write(bytes, written, Math.min(bytes.length - written, 16 * chunkBytes));
    written += bytesWritten;
  }
}

/** Gives the draft its name, and makes the name durable: the folder itself, and the parents of folders made for it. */
async function place(draft: string, path: string, objects: string): Promise<void> {
  const folder = dirname(path);
  const firstMade = await mkdir(folder, { recursive: true });
  await rename(draft, path);
  await flushFolder(folder);
  if (firstMade === undefined) return;
  for (let made = folder; made.length >= firstMade.length && made !== objects; made = dirname(made))
    await flushFolder(dirname(made));
}

async function flushFolder(path: string): Promise<void> {
  await using folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  await folder.sync();
}

/** Objects below a folder in the order of their keys. A folder sorts as its name with `/`: `a-b` before `a/b`. */
async function* walk(
  folder: string,
  parts: readonly string[],
  begin: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ObjectInfo> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const order = entries
    .filter((entry) => entry.name.startsWith(begin))
    .map((entry) => ({ entry, name: entry.isDirectory() ? `${entry.name}/` : entry.name }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { entry } of order) {
    signal?.throwIfAborted();
    const path = join(folder, entry.name);
    const below = [...parts, entry.name];
    if (entry.isDirectory()) yield* walk(path, below, "", signal);
    else {
      // Deleted since the folder was read: not there any more.
      const found = await statIfThere(path);
      if (found) yield { key: below.join("/"), sizeBytes: found.size, modifiedAtMs: found.mtimeMs };
    }
  }
}

async function sweep(temporary: string, beforeMs: number): Promise<void> {
  for (const name of await readdir(temporary)) {
    const path = join(temporary, name);
    const found = await statIfThere(path);
    if (found && found.mtimeMs < beforeMs) await unlinkIfThere(path);
  }
}

async function openForReading(path: string, key: string): Promise<FileHandle> {
  const missing = (cause?: unknown) => new AppError("not-found", `There is no object ${key}.`, { cause });
  try {
    const file = await open(path, "r");
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    if (isMissing(error)) throw missing(error);
    throw error;
  }
  throw missing();
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;
const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";

async function statIfThere(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    // EISDIR: a folder of other objects; there is no object of that name.
    if (!isMissing(error) && codeOf(error) !== "EISDIR") throw error;
  }
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translate(error);
  }
}

/** File system errors in the words of the port. */
function translate(error: unknown): AppError {
  switch (codeOf(error)) {
    case "EISDIR":
    case "ENOTDIR":
    case "EEXIST":
      return new AppError("invalid-argument", "A key cannot be both an object and the folder of others.", {
        cause: error,
      });
    case "EMFILE":
    case "ENFILE":
    case "EIO":
      return new AppError("unavailable", "The store cannot be read or written just now.", {
        retryable: true,
        cure: "Look at the disk and the limit of open files, then try again.",
        cause: error,
      });
    default:
      return AppError.from(error);
  }
}

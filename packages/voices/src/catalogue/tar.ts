import { AppError } from "@katari/core";

/** A regular file of a tar archive. */
interface TarMember {
  readonly name: string;
  readonly content: Uint8Array[];
}

const blockBytes = 512;

/** Largest member that is kept in memory; npm's speaker files are half a megabyte. */
const maxMemberBytes = 32 * 1024 * 1024;

/**
 * Regular files of a tar stream, one after another (POSIX.1-1988 "ustar" headers, as npm writes them; other entries
 * are passed over). Forty lines instead of a dependency: the only archive that it reads is pinned by its hash.
 */
export async function* readTar(stream: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember> {
  const take = blockReader(stream);
  for (;;) {
    const header = await take(blockBytes);
    if (!header || header.every((byte) => byte === 0)) return;
    const text = (start: number, length: number): string =>
      header.toString("utf8", start, start + length).replace(/\0.*$/su, "");
    const sizeBytes = Number.parseInt(text(124, 12).trim() || "0", 8);
    if (!Number.isInteger(sizeBytes) || sizeBytes < 0 || sizeBytes > maxMemberBytes) throw damaged();
    const padded = Math.ceil(sizeBytes / blockBytes) * blockBytes;
    const content = padded === 0 ? Buffer.alloc(0) : await take(padded);
    if (!content) throw damaged();
    const type = text(156, 1);
    const prefix = text(345, 155);
    const name = prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`;
    if (type === "" || type === "0") yield { name, content: [content.subarray(0, sizeBytes)] };
  }
}

/** Reads exactly so many bytes at a time; nothing at the end of the stream. */
function blockReader(stream: AsyncIterable<Uint8Array>): (length: number) => Promise<Buffer | undefined> {
  const source = stream[Symbol.asyncIterator]();
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  return async (length) => {
    while (waitingBytes < length) {
      const next = await source.next();
      if (next.done) {
        if (waitingBytes > 0) throw damaged();
        return undefined;
      }
      waiting.push(Buffer.from(next.value));
      waitingBytes += next.value.length;
    }
    const all = Buffer.concat(waiting);
    waiting = [all.subarray(length)];
    waitingBytes -= length;
    return all.subarray(0, length);
  };
}

const damaged = (): AppError =>
  new AppError("voice-unavailable", "The npm tarball is damaged.", { cure: "Run the same command again." });

import { AppError } from "@katari/core";
import { createWriteStream } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { PinnedFile } from "./asset-group.ts";
import type { SourceContext } from "./sources/source.ts";

/** A server that sends nothing for so long is given up. */
const silentMs = 60_000;

/**
 * Downloads a file into the store. What came before an interruption is kept and continued from (HTTP range requests,
 * RFC 9110 section 14), also by a later process; the hash decides in the end. Throws `no-network` when the server
 * cannot be reached, `voice-unavailable` when it has not the file or another one.
 */
export async function downloadFile(
  url: string,
  file: PinnedFile,
  context: SourceContext,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { store, fetch, signal, onBytes } = context;
  const partial = store.partialPathOf(file);
  await mkdir(store.folder, { recursive: true });
  const haveBytes = (await stat(partial).catch(() => undefined))?.size ?? 0;
  if (haveBytes < file.sizeBytes) {
    const idle = new AbortController();
    const anySignal = AbortSignal.any([idle.signal, ...(signal ? [signal] : [])]);
    const giveUp = (): void =>
      idle.abort(new AppError("no-network", `${hostOf(url)} stopped answering`, { retryable: true }));
    const timer = setTimeout(giveUp, silentMs);
    try {
      const response = await fetch(url, {
        headers: { ...headers, ...(haveBytes > 0 ? { range: `bytes=${haveBytes}-` } : {}) },
        signal: anySignal,
      });
      if (!response.ok || !response.body) throw refused(url, response.status);
      const continues = response.status === 206;
      let doneBytes = continues ? haveBytes : 0;
      const count = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
        for await (const chunk of chunks) {
          timer.refresh();
          doneBytes += chunk.length;
          if (doneBytes > file.sizeBytes)
            throw new AppError(
              "voice-unavailable",
              `${url} is longer than the ${file.sizeBytes} bytes of ${file.name}`,
            );
          onBytes(doneBytes);
          yield chunk;
        }
      };
      await pipeline(
        Readable.fromWeb(response.body),
        count,
        createWriteStream(partial, { flags: continues ? "a" : "w" }),
        { signal: anySignal },
      );
    } catch (error) {
      signal?.throwIfAborted();
      if (idle.signal.aborted) throw AppError.from(idle.signal.reason);
      throw unreachable(url, error);
    } finally {
      clearTimeout(timer);
    }
  }
  await store.take(partial, file, signal);
}

/** Reads a small JSON answer. Throws as `downloadFile` does. */
export async function fetchJson(
  url: string,
  context: SourceContext,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(silentMs);
  try {
    const response = await context.fetch(url, {
      headers,
      signal: AbortSignal.any([timeout, ...(context.signal ? [context.signal] : [])]),
    });
    if (!response.ok) throw refused(url, response.status);
    return await response.json();
  } catch (error) {
    context.signal?.throwIfAborted();
    throw unreachable(url, error);
  }
}

const refused = (url: string, status: number): AppError =>
  new AppError("voice-unavailable", `${hostOf(url)} answered ${status} for ${new URL(url).pathname}`, {
    retryable: status >= 500,
  });

function unreachable(url: string, error: unknown): AppError {
  const known = AppError.from(error);
  if (known.code !== "internal" && known.code !== "timeout") return known;
  const deepest = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = deepest instanceof Error ? deepest.message : String(deepest);
  return new AppError("no-network", `${hostOf(url)} cannot be reached (${reason})`, { retryable: true, cause: error });
}

const hostOf = (url: string): string => new URL(url).host;

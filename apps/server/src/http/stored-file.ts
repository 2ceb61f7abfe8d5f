import { Readable } from "node:stream";
import type { ObjectStore } from "@katari/storage";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "@katari/core";
import { abortedWith } from "./abort.ts";
import { parseRange } from "./byte-range.ts";

/** A stretch of a file: bytes that are at hand, or a byte range of a stored object. */
export type Piece =
  { readonly bytes: Uint8Array } | { readonly objectKey: string; readonly start: number; readonly end: number };

const sizeOf = (piece: Piece): number => ("bytes" in piece ? piece.bytes.length : piece.end - piece.start);

/** Bytes `[start, end)` of the file that the pieces make, one after the other, with back-pressure. */
async function* readPieces(
  store: ObjectStore,
  pieces: readonly Piece[],
  start: number,
  end: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const piece of pieces) {
    const size = sizeOf(piece);
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, size);
    at += size;
    if (from >= to) continue;
    if ("bytes" in piece) yield piece.bytes.subarray(from, to);
    else yield* store.stream(piece.objectKey, { range: [piece.start + from, piece.start + to], signal });
  }
}

/** A file to be sent: its parts, its type, and a strong validator that changes with its bytes. */
export interface SentFile {
  readonly pieces: readonly Piece[];
  readonly mediaType: string;
  /** Without quotes. */
  readonly etag: string;
  readonly disposition?: string;
}

/**
 * Answers with a file: `ETag` and `If-None-Match` (304), `Range` and `If-Range` (206, 416), `HEAD`, all as RFC 9110
 * has them. The bytes are streamed, and the reading stops when the client goes away.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  file: SentFile,
): Promise<FastifyReply> {
  const sizeBytes = file.pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);
  const etag = `"${file.etag}"`;
  reply.header("etag", etag).header("accept-ranges", "bytes").header("cache-control", "private, no-cache");
  const known = request.headers["if-none-match"];
  if (known !== undefined && known.split(",").some((tag) => tag.trim() === etag || tag.trim() === "*"))
    return reply.code(304).send();

  const condition = request.headers["if-range"];
  const range = condition === undefined || condition === etag ? parseRange(request.headers.range, sizeBytes) : "whole";
  if (range === "unsatisfiable") {
    reply.header("content-range", `bytes */${sizeBytes}`);
    return reply.code(416).send();
  }
  const [start, end] = range === "whole" ? [0, sizeBytes] : range;
  if (range !== "whole") reply.code(206).header("content-range", `bytes ${start}-${end - 1}/${sizeBytes}`);
  if (file.disposition !== undefined) reply.header("content-disposition", file.disposition);
  reply.type(file.mediaType).header("content-length", end - start);
  // An empty stream keeps the length that was set; no payload at all would make it 0.
  if (request.method === "HEAD") return reply.send(Readable.from([]));
  const signal = abortedWith(reply);
  return reply.send(Readable.from(readPieces(store, file.pieces, start, end, signal), { objectMode: false }));
}

/** The only piece of a file that is one stored object. @throws AppError `not-found` when the object is gone. */
export async function wholeObject(store: ObjectStore, objectKey: string): Promise<Piece> {
  const info = await store.head(objectKey);
  if (!info) throw new AppError("not-found", "The file is no longer in the store.", { cure: "Make it again." });
  return { objectKey, start: 0, end: info.sizeBytes };
}

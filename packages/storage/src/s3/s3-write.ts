import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
} from "@aws-sdk/client-s3";
import { AppError } from "@katari/core";
import { byteParts, type BytePart } from "./byte-parts.ts";
import type { S3Requests } from "./s3-requests.ts";

export interface Written {
  readonly sizeBytes: number;
  readonly etag: string | undefined;
}

/** The most parts that S3 takes for one object. */
const maxParts = 10_000;

/**
 * Writes an object: in one request when it has no more than `partBytes`, else as a multipart upload with `partsAtOnce`
 * parts under way. Every request's body is a buffer, so its length and SHA-256 are in the signed head and the service
 * refuses what was damaged on the way. After a failure or a cancel no request is under way any more, and the upload is
 * aborted.
 *
 * The SDK's own `Upload` is not used: it hands no signal to its requests, so a cancelled put would still replace the
 * object, and it sends the rest of a stream after a part has failed.
 */
export async function writeObject(
  requests: S3Requests,
  key: string,
  body: Uint8Array | AsyncIterable<Uint8Array>,
  options: { readonly contentType?: string; readonly signal?: AbortSignal },
): Promise<Written> {
  // Ends everything that belongs to this put: for the caller's signal and for the first failure.
  const group = new AbortController();
  const onAbort = (): void => group.abort(options.signal?.reason);
  if (options.signal?.aborted) onAbort();
  options.signal?.addEventListener("abort", onAbort, { once: true });
  const head = {
    ...requests.target(key),
    ...requests.settings.encryption,
    ...(options.contentType === undefined ? {} : { ContentType: options.contentType }),
  };
  const parts = byteParts(body, requests.settings.partBytes, group.signal);
  try {
    const first = await parts.next();
    if (first.done) throw new AppError("internal", "A body without a part.");
    if (!first.value.isLast) return await putInParts(requests, key, head, first.value, parts, group);
    const { bytes } = first.value;
    const { ETag } = await requests.send(
      (client, sending) =>
        client.send(new PutObjectCommand({ ...head, Body: bytes, ContentLength: bytes.length }), sending),
      { signal: group.signal },
    );
    return { sizeBytes: bytes.length, etag: ETag };
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    await parts.return(undefined);
  }
}

async function putInParts(
  requests: S3Requests,
  key: string,
  head: { readonly Bucket: string; readonly Key: string },
  first: BytePart,
  rest: AsyncGenerator<BytePart>,
  group: AbortController,
): Promise<Written> {
  const { partsAtOnce, onLeftover } = requests.settings;
  const signal = group.signal;
  const { UploadId } = await requests.send(
    (client, sending) => client.send(new CreateMultipartUploadCommand(head), sending),
    { signal },
  );
  // Without an id, what follows would be requests on the object itself.
  if (!UploadId)
    throw new AppError("unavailable", `The service gave no id for the upload of ${key}.`, { retryable: true });
  const upload = { ...requests.target(key), UploadId };
  const underWay = new Set<Promise<void>>();
  const completed: CompletedPart[] = [];
  let sizeBytes = 0;
  let failure: { readonly cause: unknown } | undefined;

  const sendPart = async ({ bytes, release }: BytePart, PartNumber: number): Promise<void> => {
    const input = { ...upload, PartNumber, Body: bytes, ContentLength: bytes.length };
    const { ETag } = await requests.send((client, sending) => client.send(new UploadPartCommand(input), sending), {
      signal,
    });
    // Only now: until the answer is here, a part may have to be sent again.
    release();
    completed.push({ PartNumber, ...(ETag === undefined ? {} : { ETag }) });
  };
  const begin = async (part: BytePart, partNumber: number): Promise<void> => {
    if (partNumber > maxParts)
      throw new AppError("too-large", `The object ${key} has more than ${maxParts} parts.`, {
        cure: "Choose larger parts for the store.",
      });
    while (underWay.size >= partsAtOnce) await Promise.race(underWay);
    sizeBytes += part.bytes.length;
    const sending = sendPart(part, partNumber)
      .catch((error: unknown) => {
        failure ??= { cause: error };
        group.abort(error);
      })
      .finally(() => underWay.delete(sending));
    underWay.add(sending);
  };

  try {
    let partNumber = 1;
    await begin(first, partNumber);
    // The signal of the group ends this loop after a part has failed.
    for await (const part of rest) await begin(part, ++partNumber);
    await Promise.all(underWay);
    if (failure) throw failure.cause;
    completed.sort((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0));
    const { ETag } = await requests.send(
      (client, sending) =>
        client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: completed } }), sending),
      { signal },
    );
    return { sizeBytes, etag: ETag };
  } catch (error) {
    const cause = failure ? failure.cause : error;
    group.abort(cause);
    await Promise.all(underWay);
    await abortUpload(requests, upload).catch((left: unknown) => onLeftover({ key, uploadId: UploadId, cause: left }));
    throw cause;
  }
}

/** Not under the caller's signal, which may be why the upload is aborted; each attempt has its time limit. */
async function abortUpload(
  requests: S3Requests,
  upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string },
): Promise<void> {
  await requests.send((client, sending) => client.send(new AbortMultipartUploadCommand(upload), sending), {});
}

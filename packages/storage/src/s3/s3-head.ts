import { GetObjectCommand, HeadObjectCommand } from "@aws-sdk/client-s3";
import { AppError } from "@katari/core";
import type { Readable } from "node:stream";
import type { ObjectInfo } from "../object-store.ts";
import { deleteObjects } from "./s3-delete.ts";
import { faultOf } from "./s3-errors.ts";
import type { S3Requests } from "./s3-requests.ts";
import type { S3Settings } from "./s3-settings.ts";
import type { Written } from "./s3-write.ts";

interface Head {
  readonly info: ObjectInfo;
  readonly etag: string | undefined;
}

/** What the service has under the key; `undefined` for nothing. Throws what the SDK threw. */
export async function headObject(
  requests: S3Requests,
  key: string,
  signal: AbortSignal | undefined,
): Promise<Head | undefined> {
  const target = requests.target(key);
  try {
    const answer = await requests.send((client, options) => client.send(new HeadObjectCommand(target), options), {
      signal,
    });
    const { ContentLength = 0, LastModified, ETag } = answer;
    return { info: { key, sizeBytes: ContentLength, modifiedAtMs: LastModified?.getTime() ?? 0 }, etag: ETag };
  } catch (error) {
    const { status } = faultOf(error);
    if (status === 404 && requests.hasSucceeded()) return undefined;
    if (status === undefined || status >= 500 || status === 429) throw error;
    // The answer to HEAD has no body: no object and no bucket look alike, and so do all refusals. GET tells them apart.
    try {
      const input = { ...target, Range: "bytes=0-0" };
      const answer = await requests.send((client, options) => client.send(new GetObjectCommand(input), options), {
        signal,
      });
      (answer.Body as Readable | undefined)?.destroy();
    } catch (reason) {
      if (faultOf(reason).code === "NoSuchKey") return undefined;
      throw reason;
    }
    if (status === 404) return undefined;
    throw error;
  }
}

/** What was put, as the service has it. Throws when that has another length, after deleting it. */
export async function confirm(
  requests: S3Requests,
  key: string,
  { sizeBytes, etag }: Written,
  signal: AbortSignal | undefined,
): Promise<ObjectInfo> {
  const found = await headObject(requests, key, signal);
  if (!found)
    throw new AppError("unavailable", `The object ${key} was put, but is not there.`, {
      retryable: true,
      cure: "Look whether something else deletes from the bucket.",
    });
  // Another ETag: somebody has put the same key since; this put has taken place all the same.
  if (etag !== undefined && found.etag !== etag) return { ...found.info, sizeBytes };
  if (found.info.sizeBytes === sizeBytes) return found.info;
  await deleteObjects(requests, [key], signal);
  throw altered(key, requests.settings);
}

/** The fault of a service, or of a proxy before it, that keeps other bytes than were sent. */
export function altered(key: string, settings: S3Settings): AppError {
  return new AppError("unavailable", `The service does not keep the object ${key} as it was sent.`, {
    cure: `Look for a proxy that changes bodies, or use another S3 service in ${settings.names.endpoint}.`,
  });
}

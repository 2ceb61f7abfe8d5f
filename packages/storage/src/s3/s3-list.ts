import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { AppError } from "@katari/core";
import { parseObjectKey } from "../object-key.ts";
import type { ObjectInfo } from "../object-store.ts";
import type { S3Requests } from "./s3-requests.ts";

/** The objects whose keys begin with the prefix, page by page, in the order of the service: that of the bytes. */
export async function* listObjects(
  requests: S3Requests,
  prefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ObjectInfo> {
  const { bucket, keyPrefix } = requests.settings;
  for (let token: string | undefined; ;) {
    const input = {
      Bucket: bucket,
      Prefix: keyPrefix + prefix,
      ...(token === undefined ? {} : { ContinuationToken: token }),
    };
    const page = await requests.send((client, options) => client.send(new ListObjectsV2Command(input), options), {
      signal,
    });
    for (const { Key, Size = 0, LastModified } of page.Contents ?? []) {
      const key = Key?.slice(keyPrefix.length);
      // What is no key of the port, such as the folder marks of consoles, is not Katari's.
      if (key !== undefined && isObjectKey(key))
        yield { key, sizeBytes: Size, modifiedAtMs: LastModified?.getTime() ?? 0 };
    }
    if (!page.IsTruncated) return;
    const next = page.NextContinuationToken;
    if (next === undefined || next === token)
      throw new AppError("unavailable", "The service does not say where its list goes on.", { retryable: true });
    token = next;
  }
}

function isObjectKey(key: string): boolean {
  try {
    return parseObjectKey(key).length > 0;
  } catch {
    return false;
  }
}

import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
} from "@aws-sdk/client-s3";
import { faultOf } from "./s3-errors.ts";
import type { S3Requests } from "./s3-requests.ts";

/**
 * Aborts the multipart uploads that began before a time; their writers were killed. Returns how many. Throws what the
 * SDK threw. Some services (MinIO) list no uploads of a whole bucket; a lifecycle rule does it there.
 */
export async function sweepUploads(
  requests: S3Requests,
  beforeMs: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { bucket, keyPrefix } = requests.settings;
  let aborted = 0;
  for (let after: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}; after;) {
    const input: ListMultipartUploadsCommandInput = {
      Bucket: bucket,
      ...(keyPrefix === "" ? {} : { Prefix: keyPrefix }),
      ...after,
    };
    const page = await requests.send(
      (client, options) => client.send(new ListMultipartUploadsCommand(input), options),
      { signal },
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key === undefined || !UploadId || Initiated === undefined || Initiated.getTime() >= beforeMs) continue;
      const upload = { Bucket: bucket, Key, UploadId };
      await requests
        .send((client, options) => client.send(new AbortMultipartUploadCommand(upload), options), { signal })
        .catch((error: unknown) => {
          // Completed or aborted since the list was made.
          if (faultOf(error).code !== "NoSuchUpload") throw error;
        });
      aborted++;
    }
    const { IsTruncated = false, NextKeyMarker, NextUploadIdMarker } = page;
    after =
      IsTruncated && NextKeyMarker !== undefined
        ? { KeyMarker: NextKeyMarker, ...(NextUploadIdMarker ? { UploadIdMarker: NextUploadIdMarker } : {}) }
        : undefined;
  }
  return aborted;
}

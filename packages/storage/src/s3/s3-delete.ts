import { DeleteObjectCommand, DeleteObjectsCommand } from "@aws-sdk/client-s3";
import { faultOf } from "./s3-errors.ts";
import type { S3Requests } from "./s3-requests.ts";

/** The most keys of one DeleteObjects. */
const deletedAtOnce = 1000;

/** Deletes the keys, a thousand in a request. What is not there is no error. Throws what the SDK threw. */
export async function deleteObjects(
  requests: S3Requests,
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let start = 0; start < keys.length; start += deletedAtOnce)
    await deleteAtOnce(requests, keys.slice(start, start + deletedAtOnce), signal);
}

async function deleteAtOnce(
  requests: S3Requests,
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const [first, ...others] = keys;
  if (first === undefined) return;
  if (others.length === 0) {
    const target = requests.target(first);
    await requests
      .send((client, options) => client.send(new DeleteObjectCommand(target), options), { signal })
      .catch((error: unknown) => {
        if (faultOf(error).code !== "NoSuchKey") throw error;
      });
    return;
  }
  const input = {
    Bucket: requests.settings.bucket,
    // OCI takes no CRC32, which the SDK sends unless told otherwise.
    ChecksumAlgorithm: "CRC32C" as const,
    Delete: { Quiet: true, Objects: keys.map((key) => ({ Key: requests.target(key).Key })) },
  };
  for (let attempt = 1; ; attempt++) {
    const { Errors = [] } = await requests.send(
      (client, options) => client.send(new DeleteObjectsCommand(input), options),
      { signal },
    );
    const refused = Errors.filter(({ Code }) => Code !== "NoSuchKey");
    if (refused.length === 0) return;
    // The service answers for each key alone: a passing fault of one is no fault of the request.
    const { Code = "", Message = "" } = refused[0] ?? {};
    const fault = Object.assign(new Error(Message), { name: Code, $metadata: { httpStatusCode: statusOf(Code) } });
    if (attempt >= requests.settings.attempts || statusOf(Code) !== 500) throw fault;
    await requests.backOff(attempt, signal);
  }
}

const statusOf = (code: string): number =>
  /InternalError|ServiceUnavailable|SlowDown/u.test(code) ? 500 : code === "AccessDenied" ? 403 : 400;

import { GetObjectCommand, RestoreObjectCommand, type GetObjectCommandOutput } from "@aws-sdk/client-s3";
import { AppError } from "@katari/core";
import type { Readable } from "node:stream";
import type { GetOptions } from "../object-store.ts";
import { causeOf, faultOf, isArchived, isPassing, s3Error } from "./s3-errors.ts";
import type { S3Requests } from "./s3-requests.ts";

/**
 * The bytes of an object or of a range of it. A connection that breaks, stalls or ends early is taken up again at the
 * byte where it was, with `If-Match`, so that no reader sees two versions in one; a connection that stood idle because
 * its reader was slow is no more than that. Attempts count anew after every byte that came.
 *
 * Throws AppError: `not-found`; `unavailable` (retryable) for an object that was replaced in the middle, for one in the
 * archive, whose restore is asked for, and for a service that stays away; `cancelled`.
 */
export async function* readObject(
  requests: S3Requests,
  key: string,
  { range, signal }: GetOptions,
): AsyncGenerator<Uint8Array> {
  const [start, end] = range ?? [0, Number.POSITIVE_INFINITY];
  const reading: Reading = { key, start, end, position: start, etag: undefined };
  for (let attempt = 1; ;) {
    const before = reading.position;
    let fault: unknown;
    try {
      const answer = await open(requests, reading, signal);
      if (answer === undefined) return;
      yield* receive(answer, reading);
      return;
    } catch (error) {
      if (signal?.aborted) throw AppError.from(signal.reason);
      fault = error;
    }
    if (reading.position > before) attempt = 1;
    if (fault instanceof AppError || !isPassing(faultOf(fault)) || attempt >= requests.settings.attempts)
      throw await explain(requests, key, fault, signal);
    await requests.backOff(attempt, signal);
    attempt++;
  }
}

interface Reading {
  readonly key: string;
  readonly start: number;
  /** The byte after the last one that is wanted; may lie behind the object's end. */
  readonly end: number;
  /** The byte that comes next. */
  position: number;
  /** Of the version of which the first bytes came. */
  etag: string | undefined;
}

/** The answer from `position` on; `undefined` when there is nothing behind it. */
async function open(
  requests: S3Requests,
  reading: Reading,
  signal: AbortSignal | undefined,
): Promise<GetObjectCommandOutput | undefined> {
  const { key, position, end, etag } = reading;
  if (position >= end) return undefined;
  const isWhole = position === 0 && end === Number.POSITIVE_INFINITY;
  const input = {
    ...requests.target(key),
    ...(isWhole ? {} : { Range: `bytes=${position}-${end === Number.POSITIVE_INFINITY ? "" : end - 1}` }),
    ...(etag === undefined ? {} : { IfMatch: etag }),
  };
  try {
    const answer = await requests.send((client, options) => client.send(new GetObjectCommand(input), options), {
      signal,
      attempts: 1,
    });
    try {
      check(answer, reading, isWhole);
    } catch (error) {
      (answer.Body as Readable | undefined)?.destroy();
      throw error;
    }
    return answer;
  } catch (error) {
    const { status } = faultOf(error);
    // The range begins at or behind the object's end.
    if (status === 416) return undefined;
    if (status === 412) throw replaced(key, causeOf(error));
    throw error;
  }
}

/** Refuses an answer that is not what was asked for; its bytes would be taken for others. */
function check(answer: GetObjectCommandOutput, { key, position, etag }: Reading, isWhole: boolean): void {
  if (etag !== undefined && answer.ETag !== etag) throw replaced(key);
  if (isWhole) return;
  const [, first, last] = /^bytes (\d+)-(\d+)\//u.exec(answer.ContentRange ?? "") ?? [];
  const length = answer.ContentLength;
  const isRight = Number(first) === position && (length === undefined || Number(last) - Number(first) + 1 === length);
  if (!isRight)
    throw new AppError("unavailable", `The store answered with other bytes of ${key} than were asked for.`, {
      cure: "Look whether a proxy before the S3 service drops Range headers.",
    });
}

async function* receive(answer: GetObjectCommandOutput, reading: Reading): AsyncGenerator<Uint8Array> {
  reading.etag ??= answer.ETag;
  const begin = reading.position;
  for await (const chunk of answer.Body as Readable) {
    const bytes = chunk as Uint8Array;
    reading.position += bytes.length;
    yield bytes;
  }
  const missing = begin + (answer.ContentLength ?? 0) - reading.position;
  if (missing > 0)
    throw Object.assign(new Error(`${missing} bytes are missing at the end`), { code: "ERR_STREAM_PREMATURE_CLOSE" });
}

function replaced(key: string, cause?: unknown): AppError {
  return new AppError("unavailable", `The object ${key} was replaced while it was read.`, {
    retryable: true,
    cure: "Read it again.",
    cause,
  });
}

/** The fault as AppError; an archived object is asked back first. */
async function explain(
  requests: S3Requests,
  key: string,
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<AppError> {
  const fault = faultOf(error);
  if (error instanceof AppError || !isArchived(fault)) return s3Error(error, requests.settings, key);
  const { restoreDays, bucket, names } = requests.settings;
  const input = {
    ...requests.target(key),
    RestoreRequest: { Days: restoreDays, GlacierJobParameters: { Tier: "Standard" as const } },
  };
  try {
    await requests.send((client, options) => client.send(new RestoreObjectCommand(input), options), { signal });
  } catch (refusal) {
    if (signal?.aborted) return AppError.from(signal.reason);
    if (faultOf(refusal).code !== "RestoreAlreadyInProgress")
      return new AppError("unavailable", `The object ${key} is in the archive, and its restore was refused.`, {
        cure: `Restore it by hand in the bucket ${bucket}, or allow the owner of ${names.accessKeyId} to restore objects.`,
        details: { archived: true, restoring: false },
        cause: causeOf(refusal),
      });
  }
  return new AppError("unavailable", `The object ${key} is in the archive and is being restored; that takes hours.`, {
    retryable: true,
    cure: `Try again later. Exclude what is read often from the lifecycle rules of the bucket ${bucket}.`,
    details: { archived: true, restoring: true },
    cause: causeOf(error),
  });
}

import { S3Client } from "@aws-sdk/client-s3";
import { AppError } from "@katari/core";
import { setTimeout as wait } from "node:timers/promises";
import { faultOf, isPassing, s3Error } from "./s3-errors.ts";
import type { S3Settings } from "./s3-settings.ts";

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Attempts when not those of the settings: 1 where the caller counts. */
  readonly attempts?: number;
}

/** What every command needs: the client, retries, and the names of things in the bucket. */
export interface S3Requests {
  readonly settings: S3Settings;
  /** Whether any request has succeeded, so that the bucket and the keys are known to be right. */
  readonly hasSucceeded: () => boolean;
  /** `Bucket` and `Key` of an object. */
  target(key: string): { Bucket: string; Key: string };
  /**
   * Makes a request, again after passing faults, up to the number of attempts. Throws what the SDK threw, or the
   * signal's reason as AppError; `s3Error` translates the former.
   */
  send<T>(
    make: (client: S3Client, options: { abortSignal?: AbortSignal }) => Promise<T>,
    options: RequestOptions,
  ): Promise<T>;
  /** The wait before attempt `attempt + 1`. Throws the signal's reason as AppError. */
  backOff(attempt: number, signal: AbortSignal | undefined): Promise<void>;
  close(): void;
}

const maxDelayMs = 5_000;

/**
 * The client in the dialect that OCI, MinIO, R2 and AWS have in common: bucket in the path, no checksum that the
 * service did not ask for (they travel as aws-chunked trailers, which OCI refuses and some servers store as content),
 * no `Expect`. Attempts are counted here and not by the SDK, whose waits cannot be cancelled.
 */
export function createS3Requests(settings: S3Settings): S3Requests {
  const client = createClient(settings);
  let succeeded = false;

  const backOff: S3Requests["backOff"] = async (attempt, signal) => {
    const limitMs = Math.min(maxDelayMs, settings.retryDelayMs * 2 ** (attempt - 1));
    try {
      await wait(Math.random() * limitMs, undefined, { signal });
    } catch (error) {
      throw AppError.from(signal?.aborted ? signal.reason : error);
    }
  };

  return {
    settings,
    hasSucceeded: () => succeeded,
    target: (key) => ({ Bucket: settings.bucket, Key: settings.keyPrefix + key }),
    async send(make, { signal, attempts = settings.attempts }) {
      for (let attempt = 1; ; attempt++) {
        if (signal?.aborted) throw AppError.from(signal.reason);
        try {
          const answer = await make(client, signal ? { abortSignal: signal } : {});
          succeeded = true;
          return answer;
        } catch (error) {
          if (signal?.aborted) throw AppError.from(signal.reason);
          if (attempt >= attempts || !isPassing(faultOf(error))) throw error;
        }
        await backOff(attempt, signal);
      }
    },
    backOff,
    close: () => client.destroy(),
  };
}

function createClient(settings: S3Settings): S3Client {
  const quiet = "AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED";
  const before = process.env[quiet];
  // The version is pinned; a warning about coming ones would stand in everybody's terminal.
  process.env[quiet] = "true";
  try {
    return new S3Client({
      endpoint: settings.endpoint,
      region: settings.region,
      credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
      forcePathStyle: settings.pathStyle,
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      expectContinueHeader: false,
      maxAttempts: 1,
      // Nothing is read from the environment or from ~/.aws.
      useFipsEndpoint: false,
      useDualstackEndpoint: false,
      useArnRegion: false,
      disableMultiregionAccessPoints: true,
      disableS3ExpressSessionAuth: true,
      defaultsMode: "standard",
      retryMode: "standard",
      userAgentAppId: "katari",
      requestHandler: {
        connectionTimeout: settings.connectTimeoutMs,
        requestTimeout: settings.requestTimeoutMs,
        throwOnRequestTimeout: true,
        socketTimeout: settings.idleTimeoutMs,
        httpAgent: { maxSockets: 64 },
        httpsAgent: { maxSockets: 64 },
      },
    });
  } finally {
    if (before === undefined) delete process.env[quiet];
    else process.env[quiet] = before;
  }
}

/** Runs work of the store and translates what it throws. */
export async function translated<T>(settings: S3Settings, key: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw s3Error(error, settings, key);
  }
}

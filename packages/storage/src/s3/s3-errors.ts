import { AppError } from "@katari/core";
import type { S3Settings } from "./s3-settings.ts";

/** What is known of a failed request: the service's own error code, the HTTP status, the code of the system. */
export interface S3Fault {
  /** `Code` of the service's answer, `TimeoutError`, or empty. An answer to HEAD has no body, so no code. */
  readonly code: string;
  readonly status: number | undefined;
  /** Of the network or TLS, such as `ECONNREFUSED`. */
  readonly system: string | undefined;
}

/** Reads what the SDK threw. */
export function faultOf(error: unknown): S3Fault {
  const { name, code, $metadata, $response } = (error ?? {}) as {
    name?: string;
    code?: unknown;
    $metadata?: { httpStatusCode?: number };
    $response?: { statusCode?: number };
  };
  const system = typeof code === "string" && /^[A-Z][A-Z0-9_]+$/u.test(code) ? code : undefined;
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  return { code: name ?? "", status, system };
}

const passingCodes: ReadonlySet<string> = new Set([
  "TimeoutError",
  "SlowDown",
  "SlowDownRead",
  "SlowDownWrite",
  "Throttling",
  "TooManyRequests",
  "RequestTimeout",
  "RequestTimeTooSkewed", // The SDK learns the service's time from the refusal; the next signature is right.
  "InternalError",
  "ServiceUnavailable",
  // What was damaged or cut on its way to the service.
  "IncompleteBody",
  "BadDigest",
  "XAmzContentSHA256Mismatch",
]);
const passingSystemCodes: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "ECONNABORTED",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ERR_STREAM_PREMATURE_CLOSE",
]);
const fullCodes: ReadonlySet<string> = new Set([
  "QuotaExceeded",
  "StorageQuotaExceeded",
  "StorageLimitExceeded",
  "InsufficientStorage",
  "XMinioStorageFull",
  "XMinioAdminBucketQuotaExceeded",
]);
const passingStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Whether the same request may succeed when it is made again at once or soon. */
export function isPassing({ code, status, system }: S3Fault): boolean {
  if (fullCodes.has(code)) return false;
  if (passingCodes.has(code) || passingStatuses.has(status ?? 0)) return true;
  return system !== undefined && passingSystemCodes.has(system);
}

/** Whether the object is in the archive tier and must be restored before it can be read. */
export function isArchived({ code }: S3Fault): boolean {
  // The second is what OCI's own API says.
  return code === "InvalidObjectState" || code === "NotRestored";
}

/**
 * The fault in the words of the port, with the setting to change. Faults of the set-up (a wrong key, no such bucket, a
 * full quota) are retryable: whoever corrects the setting should not have to find and restart each task that met it.
 */
export function s3Error(error: unknown, settings: S3Settings, key?: string): AppError {
  if (error instanceof AppError) return error;
  const cause = causeOf(error);
  const { names, bucket } = settings;
  const fault = faultOf(error);
  const origin = new URL(settings.endpoint).origin;
  const say = (code: AppError["code"], message: string, cure: string, retryable = true): AppError =>
    new AppError(code, message, { cure, retryable, cause });
  const object = key === undefined ? "The object" : `The object ${key}`;

  switch (fault.code) {
    case "NoSuchKey":
      return new AppError("not-found", `There is no object ${key ?? "of that name"}.`, { cause });
    case "NoSuchBucket":
    case "InvalidBucketName":
    case "BucketNotFound":
      return say(
        "unavailable",
        `There is no bucket ${bucket} at ${origin}.`,
        `Make the bucket, or correct ${names.bucket}, ${names.region} or ${names.endpoint}.`,
      );
    case "InvalidAccessKeyId":
      return say(
        "no-permission",
        `${origin} does not know the access key.`,
        `Correct ${names.accessKeyId} (and ${names.secretAccessKey}, which belongs to it).`,
      );
    case "SignatureDoesNotMatch":
      // OCI answers this also for an access key or a region that it does not know.
      return say(
        "no-permission",
        `${origin} refuses the signature: the secret key does not belong to the access key, or the region is wrong.`,
        `Correct ${names.secretAccessKey}; if it is right, look at ${names.accessKeyId} and ${names.region}.`,
      );
    case "AuthorizationHeaderMalformed":
    case "PermanentRedirect":
    case "IllegalLocationConstraintException":
    case "InvalidRegion":
      return say(
        "no-permission",
        `The region ${settings.region} is not the bucket's.`,
        `Correct ${names.region} and ${names.endpoint} to the region of the bucket ${bucket}.`,
      );
    case "RequestTimeTooSkewed":
      return say(
        "unavailable",
        `The clocks of this machine and of ${origin} differ too much.`,
        "Set the clock of this machine (NTP).",
      );
    case "EntityTooLarge":
      return say("too-large", `${object} is larger than the store takes.`, "Use smaller files.", false);
    case "XMinioParentIsObject":
    case "ParentIsObject":
      return new AppError("invalid-argument", "A key cannot be both an object and the folder of others.", {
        cause,
      });
    case "NotImplemented":
    case "MethodNotAllowed":
      return say(
        "unavailable",
        `${origin} does not support a request that Katari needs.`,
        `Correct ${names.endpoint} to the S3 API of a service that does.`,
      );
    default:
  }
  if (fullCodes.has(fault.code) || fault.status === 507)
    return say(
      "disk-full",
      `The quota or space of the bucket ${bucket} is used up.`,
      "Raise the quota, or free space.",
    );
  if (fault.status === 403 || fault.status === 401)
    return say(
      "no-permission",
      `The access key may not do this in the bucket ${bucket}.`,
      `Allow the owner of ${names.accessKeyId} to list the bucket and to read, write and delete its objects.`,
    );
  if (fault.status === undefined) return unreachable(fault, origin, settings, cause);
  if (isPassing(fault))
    return say(
      "unavailable",
      `${origin} cannot serve the request just now (${fault.code || fault.status}).`,
      `It is tried again. If it stays, look at the service behind ${names.endpoint}.`,
    );
  return say(
    "unavailable",
    `${origin} answered ${fault.status} (${fault.code}) and not as an S3 service does.`,
    `Look whether ${names.endpoint} is the S3 API of the service, and whether its version is a recent one.`,
  );
}

/** What logs may hold of the error: the SDK's own has the request with it, and so its signature. */
export function causeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number; requestId?: string }; code?: unknown };
  if (!$metadata) return error;
  const { httpStatusCode, requestId } = $metadata;
  return Object.assign(new Error(error.message), {
    name: error.name,
    ...(typeof code === "string" ? { code } : {}),
    ...(httpStatusCode === undefined ? {} : { status: httpStatusCode }),
    ...(requestId === undefined ? {} : { requestId }),
  });
}

function unreachable({ code, system }: S3Fault, origin: string, { names }: S3Settings, cause: unknown): AppError {
  const say = (message: string, cure: string): AppError =>
    new AppError("unavailable", message, { cure, retryable: true, cause });
  if (code === "TimeoutError")
    return say(`${origin} does not answer in time.`, `Look at the network and at ${names.endpoint}.`);
  if (system === "ENOTFOUND" || system === "EAI_AGAIN")
    return say(`The name of ${origin} cannot be found.`, `Correct ${names.endpoint}, or look at DNS.`);
  if (system !== undefined && passingSystemCodes.has(system))
    return say(`${origin} cannot be reached (${system}).`, `Look at the network, the service, and ${names.endpoint}.`);
  if (system !== undefined && /CERT|SELF_SIGNED|ISSUER|ALTNAME|SSL|EPROTO/u.test(system))
    return say(
      `The secure connection to ${origin} failed (${system}).`,
      `Correct ${names.endpoint} (http or https), or name the authority's certificate in NODE_EXTRA_CA_CERTS.`,
    );
  return AppError.from(cause);
}

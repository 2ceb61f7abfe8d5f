import { AppError } from "@katari/core";

/** The settings that a fault of the store can be about. */
export interface S3SettingNames {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3StoreOptions {
  /**
   * URL of the service, without the bucket. OCI: `https://<namespace>.compat.objectstorage.<region>.oraclecloud.com`.
   */
  readonly endpoint: string;
  /** Name of the region as the service knows it, such as `eu-frankfurt-1`; it is part of every signature. */
  readonly region: string;
  /** An existing bucket; it is never made here. */
  readonly bucket: string;
  /** On OCI the access key of a Customer Secret Key. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Bucket in the path (default, what OCI and MinIO want) instead of in the host name. */
  readonly pathStyle?: boolean;
  /** What stands before every key in the bucket, such as `katari/`; so several installations may share a bucket. */
  readonly keyPrefix?: string;
  /** Asks the service to encrypt each object; without it the bucket's own setting holds. */
  readonly serverSideEncryption?: "AES256" | "aws:kms";
  /** Key of the service's key store, with `aws:kms` only. */
  readonly kmsKeyId?: string;
  /** Time for a connection to stand. Default 5 s. */
  readonly connectTimeoutMs?: number;
  /** Time from a request's start to the head of its answer, so also for sending a part. Default 2 min. */
  readonly requestTimeoutMs?: number;
  /** Time in which no byte moves on a connection. Default 30 s. */
  readonly idleTimeoutMs?: number;
  /** How often one request is made in all, when its faults are passing ones. Default 4. */
  readonly attempts?: number;
  /** Upper end of the first random wait between attempts; it doubles, up to 5 s. Default 200 ms. */
  readonly retryDelayMs?: number;
  /** Bytes of a part of a multipart upload; what is not larger goes in one request. At least 5 MiB, default 8 MiB. */
  readonly partBytes?: number;
  /** Parts of one object that are under way at once. Default 3: a put holds at most 4 parts in memory. */
  readonly partsAtOnce?: number;
  /** Days for which an archived object is brought back when somebody reads it. Default 7. */
  readonly restoreDays?: number;
  /** What the person calls each setting, for the `cure` of errors. Default `s3.endpoint` and so on. */
  readonly settingNames?: Partial<S3SettingNames>;
  /** Told of a multipart upload that could be neither completed nor aborted; its parts take space until they are. */
  readonly onLeftover?: (leftover: {
    readonly key: string;
    readonly uploadId: string;
    readonly cause: unknown;
  }) => void;
}

/** Options with every default filled in. */
export type S3Settings = Required<Omit<S3StoreOptions, "serverSideEncryption" | "kmsKeyId" | "settingNames">> & {
  readonly encryption: { readonly ServerSideEncryption?: "AES256" | "aws:kms"; readonly SSEKMSKeyId?: string };
  readonly names: S3SettingNames;
};

const MiB = 1024 * 1024;
/** The smallest part that S3 takes, except for the last one. */
const minPartBytes = 5 * MiB;

const defaultNames: S3SettingNames = {
  endpoint: "s3.endpoint",
  region: "s3.region",
  bucket: "s3.bucket",
  accessKeyId: "s3.accessKeyId",
  secretAccessKey: "s3.secretAccessKey",
};

/** Fills in defaults. Throws AppError `invalid-argument` that names the setting. */
export function resolveS3Settings(options: S3StoreOptions): S3Settings {
  const names = { ...defaultNames, ...options.settingNames };
  for (const setting of ["region", "bucket", "accessKeyId", "secretAccessKey"] as const)
    if (options[setting].trim() === "") refuse(`${names[setting]} is empty.`, `Set ${names[setting]}.`);
  if (!URL.canParse(options.endpoint) || !/^https?:$/u.test(new URL(options.endpoint).protocol))
    refuse(
      `${names.endpoint} is not an http or https URL.`,
      `Set ${names.endpoint} to the URL of the service, such as https://storage.example.com.`,
    );
  const keyPrefix = options.keyPrefix ?? "";
  if (!/^([A-Za-z0-9._@=-]+\/)*$/u.test(keyPrefix))
    refuse("The key prefix is not made of names with / after each.", "Use a prefix like katari/.");
  const partBytes = options.partBytes ?? 8 * MiB;
  if (partBytes < minPartBytes) refuse("Parts of a multipart upload have at least 5 MiB.", "Choose larger parts.");
  const { serverSideEncryption, kmsKeyId } = options;
  if (kmsKeyId !== undefined && serverSideEncryption !== "aws:kms")
    refuse("A KMS key is used with server-side encryption aws:kms only.", "Set both, or neither.");
  return {
    endpoint: options.endpoint,
    region: options.region,
    bucket: options.bucket,
    accessKeyId: options.accessKeyId,
    secretAccessKey: options.secretAccessKey,
    pathStyle: options.pathStyle ?? true,
    keyPrefix,
    encryption: {
      ...(serverSideEncryption === undefined ? {} : { ServerSideEncryption: serverSideEncryption }),
      ...(kmsKeyId === undefined ? {} : { SSEKMSKeyId: kmsKeyId }),
    },
    connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 120_000,
    idleTimeoutMs: options.idleTimeoutMs ?? 30_000,
    attempts: Math.max(1, options.attempts ?? 4),
    retryDelayMs: options.retryDelayMs ?? 200,
    partBytes,
    partsAtOnce: Math.max(1, options.partsAtOnce ?? 3),
    restoreDays: options.restoreDays ?? 7,
    names,
    onLeftover: options.onLeftover ?? (() => {}),
  };
}

function refuse(message: string, cure: string): never {
  throw new AppError("invalid-argument", message, { cure });
}

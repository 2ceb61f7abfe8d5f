import { AppError } from "@katari/core";
import { z } from "zod";
import { taskQueues } from "./queues.ts";

/** Where objects lie: a folder that every process sees, or a bucket. */
const objectsSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("files"), folder: z.string().min(1) }),
  z.object({
    kind: z.literal("s3"),
    endpoint: z.url({ protocol: /^https?$/u }),
    region: z.string().min(1),
    bucket: z.string().min(1),
    keyPrefix: z.string().optional(),
    accessKeyId: z.string().min(1),
    secretAccessKey: z.string().min(1),
    serverSideEncryption: z.enum(["AES256", "aws:kms"]).optional(),
  }),
]);

const serverUrl = z.url({ protocol: /^https?$/u });

/**
 * What `katari server` and `katari worker` are told when they run apart: one file for all processes of an installation
 * (each takes what it needs), and environment variables for what differs or is secret.
 */
export const deploymentSchema = z.object({
  /** `postgresql://user:password@host:port/database`; the server's. */
  database: z.object({ url: z.string().min(1), maxConnections: z.int().min(1).max(1_000).optional() }).optional(),
  /** `amqp://user:password@host:5672/vhost` or `amqps://…`. */
  bus: z.object({ url: z.string().min(1) }),
  objects: objectsSchema,
  /** The server's own door. */
  http: z
    .object({
      host: z.string().min(1).default("127.0.0.1"),
      port: z.int().min(0).max(65_535).default(7878),
      /** Names besides the loopback ones by which clients call the server. */
      hostNames: z.array(z.string().min(1)).default([]),
      /** Opens the studio and the API; at least 16 characters. */
      token: z.string().min(16),
    })
    .optional(),
  /** The pool of each lane; a worker serves the lanes that have one. */
  modelServers: z.object({ cpu: serverUrl.optional(), gpu: serverUrl.optional() }).default({}),
  worker: z
    .object({
      /** Slots by queue; what is not named is not consumed. */
      slots: z.partialRecord(z.enum(taskQueues), z.int().nonnegative()),
      /** For files that live as long as one job. */
      scratchFolder: z.string().min(1).optional(),
    })
    .optional(),
  logLevel: z.enum(["debug", "info", "warn", "error"]).default("info"),
});
export type Deployment = z.infer<typeof deploymentSchema>;
export type ObjectsConfiguration = z.infer<typeof objectsSchema>;

/** The variable of each setting. A variable goes over the file. */
const variables: Readonly<Record<string, readonly string[]>> = {
  KATARI_DATABASE_URL: ["database", "url"],
  KATARI_DATABASE_MAX_CONNECTIONS: ["database", "maxConnections"],
  KATARI_BUS_URL: ["bus", "url"],
  KATARI_OBJECTS: ["objects", "kind"],
  KATARI_OBJECTS_FOLDER: ["objects", "folder"],
  KATARI_S3_ENDPOINT: ["objects", "endpoint"],
  KATARI_S3_REGION: ["objects", "region"],
  KATARI_S3_BUCKET: ["objects", "bucket"],
  KATARI_S3_KEY_PREFIX: ["objects", "keyPrefix"],
  KATARI_S3_ACCESS_KEY_ID: ["objects", "accessKeyId"],
  KATARI_S3_SECRET_ACCESS_KEY: ["objects", "secretAccessKey"],
  KATARI_S3_SERVER_SIDE_ENCRYPTION: ["objects", "serverSideEncryption"],
  KATARI_HTTP_HOST: ["http", "host"],
  KATARI_HTTP_PORT: ["http", "port"],
  KATARI_HTTP_TOKEN: ["http", "token"],
  KATARI_MODEL_SERVER_CPU: ["modelServers", "cpu"],
  KATARI_MODEL_SERVER_GPU: ["modelServers", "gpu"],
  KATARI_WORKER_SCRATCH: ["worker", "scratchFolder"],
  KATARI_LOG_LEVEL: ["logLevel"],
};
const numbers = new Set(["KATARI_DATABASE_MAX_CONNECTIONS", "KATARI_HTTP_PORT"]);

/** What a person calls a setting: its variable where it has one, else its place in the file. */
export function settingName(path: readonly PropertyKey[]): string {
  const place = path.join(".");
  const found = Object.entries(variables).find(([, each]) => each.join(".") === place);
  return found === undefined ? place : `${found[0]} (${place})`;
}

/**
 * Reads a deployment from its file's content (JSON; `undefined` when there is none) and the environment.
 * Throws `invalid-argument` that names the first wrong or missing setting. No value is repeated: it may be a secret.
 */
export function readDeployment(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Deployment {
  const merged = parseFile(file);
  for (const [variable, path] of Object.entries(variables)) {
    const value = environment[variable];
    if (value === undefined || value === "") continue;
    setAt(merged, path, numbers.has(variable) && /^\d+$/u.test(value) ? Number(value) : value);
  }
  const parsed = deploymentSchema.safeParse(merged);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const missing = issue?.code === "invalid_type" && issue.message.includes("undefined");
  throw new AppError(
    "invalid-argument",
    `The setting ${settingName(issue?.path ?? [])} is ${missing ? "missing" : `wrong: ${issue?.message ?? ""}`}.`,
    { cure: "Set the variable, or the entry in the file that --config names; docs/deployment.md has all of them." },
  );
}

function parseFile(file: string | undefined): Record<string, unknown> {
  if (file === undefined) return {};
  const wrong = (cause?: unknown) =>
    new AppError("invalid-argument", "The configuration file holds no JSON object.", {
      cure: "Check the file that --config names.",
      cause,
    });
  let value: unknown;
  try {
    value = JSON.parse(file);
  } catch (error) {
    throw wrong(error);
  }
  if (!isRecord(value)) throw wrong();
  return value;
}

function setAt(target: Record<string, unknown>, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = target[name];
  const next = isRecord(inner) ? { ...inner } : {};
  target[name] = next;
  setAt(next, rest, value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { voiceManifestSchema } from "@katari/contracts";
import { AppError } from "@katari/core";
import { logLevels, type LogLevel } from "@katari/telemetry";
import { z } from "zod";
import type { ModelServerOptions } from "./model-server.ts";
import type { ModelSource } from "./registry/model-source.ts";

/** How the process was started. */
export interface ProcessConfiguration {
  readonly server: Omit<ModelServerOptions, "logger" | "clock">;
  /** Exit when the standard input or the IPC channel closes. */
  readonly exitWithParent: boolean;
  readonly logLevel: LogLevel;
}

const optionNames = {
  host: { type: "string" },
  port: { type: "string" },
  instances: { type: "string" },
  threads: { type: "string" },
  "queue-limit": { type: "string" },
  "drain-ms": { type: "string" },
  "max-rss-mb": { type: "string" },
  "log-level": { type: "string" },
  voice: { type: "string", multiple: true },
  model: { type: "string", multiple: true },
  "allow-root": { type: "string", multiple: true },
  "exit-with-parent": { type: "boolean" },
} as const;

const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max).optional();
const settingsSchema = z.object({
  host: z.string().min(1).default("127.0.0.1"),
  port: whole(0, 65_535).default(0),
  instances: whole(1, 256),
  threads: whole(1, 256),
  "queue-limit": whole(1, 100_000),
  "drain-ms": whole(0, 3_600_000),
  "max-rss-mb": whole(64, 1_000_000),
  "log-level": z.enum(logLevels).default("info"),
});

/**
 * Reads the configuration of the process from its arguments, and what they leave open from `KATARI_MODEL_SERVER_*`
 * variables of the same names (`--queue-limit`, `KATARI_MODEL_SERVER_QUEUE_LIMIT`). `--voice FOLDER` serves the model
 * of an installed voice, `--model NAME@VERSION=FILE` any ONNX file; both may be given several times.
 * Throws `invalid-argument` and `voice-damaged`.
 */
export async function readConfiguration(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<ProcessConfiguration> {
  const given = parseArguments(argv);
  const fromEnvironment = Object.fromEntries(
    Object.keys(settingsSchema.shape).map((name) => [
      name,
      env[`KATARI_MODEL_SERVER_${name.replaceAll("-", "_").toUpperCase()}`],
    ]),
  );
  const parsed = settingsSchema.safeParse({ ...fromEnvironment, ...given });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw wrongOption(`--${issue?.path.join(".") ?? ""}: ${issue?.message ?? "wrong value"}`);
  }
  const settings = parsed.data;
  const [queueLimit, drainMs, maxRssMb] = [settings["queue-limit"], settings["drain-ms"], settings["max-rss-mb"]];
  const models = [
    ...(await Promise.all((given.voice ?? []).map((folder) => modelOfVoice(resolve(folder))))),
    ...(given.model ?? []).map(modelOfArgument),
  ];
  return {
    exitWithParent: given["exit-with-parent"] ?? false,
    logLevel: settings["log-level"],
    server: {
      host: settings.host,
      port: settings.port,
      models,
      allowedRoots: given["allow-root"] ?? [],
      ...(settings.instances === undefined ? {} : { instances: settings.instances }),
      ...(settings.threads === undefined ? {} : { threadsPerInstance: settings.threads }),
      ...(queueLimit === undefined ? {} : { queueLimit }),
      ...(drainMs === undefined ? {} : { drainMs }),
      ...(maxRssMb === undefined ? {} : { limits: { maxRssBytes: maxRssMb * 1024 * 1024 } }),
    },
  };
}

function parseArguments(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: optionNames, strict: true }).values;
  } catch (error) {
    throw wrongOption(error instanceof Error ? error.message : "unreadable", error);
  }
}

/** The model of an installed voice. Throws `voice-damaged`. */
export async function modelOfVoice(folder: string): Promise<ModelSource> {
  try {
    const { model } = voiceManifestSchema.parse(JSON.parse(await readFile(join(folder, "voice.json"), "utf8")));
    const { name, version, sourceDigest, servedDigest, file } = model;
    return { name, version, sourceDigest, servedDigest, path: join(folder, file) };
  } catch (error) {
    throw new AppError("voice-damaged", `The folder ${folder} holds no installed voice.`, {
      cure: "Install the voice again with `katari voices add`.",
      cause: error,
    });
  }
}

function modelOfArgument(argument: string): ModelSource {
  const match = /^(?<name>[^@=/]+)@(?<version>[^@=/]+)=(?<path>.+)$/.exec(argument);
  const { name, version, path } = match?.groups ?? {};
  if (!name || !version || !path) throw wrongOption(`--model ${argument} is not NAME@VERSION=FILE`);
  return { name, version, path: resolve(path) };
}

function wrongOption(message: string, cause?: unknown): AppError {
  return new AppError("invalid-argument", `The model server cannot be started like this: ${message}`, {
    cure: "See docs/cli.md for the options of the model server.",
    cause,
  });
}

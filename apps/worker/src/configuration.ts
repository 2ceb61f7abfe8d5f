import { taskQueues } from "@katari/contracts";
import { AppError } from "@katari/core";
import { logLevels } from "@katari/telemetry";
import { z } from "zod";

/** What the parent process tells its worker, as JSON in the variable `KATARI_WORKER`. */
export const workerConfigurationSchema = z.object({
  /** The store's root; scratch files go to `temporary` below it, where a later start sweeps them. */
  dataFolder: z.string().min(1),
  modelServerUrl: z.url({ protocol: /^https?$/u }),
  /** Slots by queue; what is not named is not consumed. */
  queues: z.partialRecord(z.enum(taskQueues), z.int().nonnegative()),
  workerId: z.string().min(1).max(128).optional(),
  logLevel: z.enum(logLevels).default("info"),
});
export type WorkerConfiguration = z.infer<typeof workerConfigurationSchema>;

/** Reads the configuration. Throws AppError `invalid-argument` that names what is wrong. */
export function readConfiguration(environment: Readonly<Record<string, string | undefined>>): WorkerConfiguration {
  const wrong = (what: string, cause: unknown) =>
    new AppError("invalid-argument", `The worker's configuration is wrong: ${what}.`, {
      cure: "The worker is started by `katari serve`; start that instead.",
      cause,
    });
  let value: unknown;
  try {
    value = JSON.parse(environment["KATARI_WORKER"] ?? "");
  } catch (error) {
    throw wrong("KATARI_WORKER holds no JSON", error);
  }
  const parsed = workerConfigurationSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrong(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`, parsed.error);
}

import { taskMessageSchema, type TaskMessage } from "@katari/contracts";
import { AppError } from "@katari/core";
import { z } from "zod";
import type { TaskRef } from "./results.ts";

/** The least that every version of a task message has: enough to answer it. */
const refSchema = z.object({ v: z.unknown(), taskId: z.string().min(1), attempt: z.int().positive() });

export type ParsedTask =
  | { readonly kind: "task"; readonly task: TaskMessage }
  /** `newer`: written by a newer version of the product, which this worker had better leave to newer workers. */
  | { readonly kind: "unknown"; readonly ref: TaskRef; readonly newer: boolean };

/** Reads a task message. Throws AppError `invalid-argument` for one that does not even name a task to answer for. */
export function parseTask(body: unknown): ParsedTask {
  const parsed = taskMessageSchema.safeParse(body);
  if (parsed.success) return { kind: "task", task: parsed.data };
  const ref = refSchema.safeParse(body);
  if (!ref.success) throw new AppError("invalid-argument", "The message names no task.", { cause: parsed.error });
  return { kind: "unknown", ref: ref.data, newer: ref.data.v !== 1 };
}

import {
  exportTaskSchema,
  importTaskSchema,
  speechTaskSchema,
  type ExportTask,
  type ImportTask,
  type Rendering,
  type SpeechTask,
  type TaskMessage,
} from "@katari/contracts";
import { assertNever } from "@katari/core";
import type { ClaimedTask } from "@katari/database/statements";
import type { ServerTiming } from "../server-context.ts";
import { interactivePriority } from "./lanes.ts";

/** What a task row keeps of its message. */
export type SpeechPayload = Pick<SpeechTask, "phonemes" | "parts">;
export type ImportPayload = Pick<ImportTask, "sourceKey" | "sourceDigest" | "fileName" | "importRevision">;
export type ExportPayload = Pick<ExportTask, "planKey" | "format" | "loudness">;
/** What a conversion pins; the variant belongs to the task. */
export type PinnedRendering = Omit<Rendering, "variant">;

/**
 * The message of a claimed task, checked with the schema that its reader will use. Throws a ZodError when the row
 * cannot be a message: a fault of this program that the caller turns into the task's failure.
 */
export function taskMessage(task: ClaimedTask, timing: ServerTiming): TaskMessage {
  const base = { v: 1, taskId: task.id, attempt: task.attempt, projectId: task.project_id, kind: task.kind };
  switch (task.kind) {
    case "speech":
      return speechTaskSchema.parse({
        ...task.payload,
        ...base,
        timeoutMs: timing.speechTimeoutMs,
        conversionId: task.conversion_id,
        takeKey: task.take_key,
        rendering: { ...task.rendering, variant: 0 },
        interactive: task.priority <= interactivePriority,
      });
    case "import":
      return importTaskSchema.parse({ ...task.payload, ...base, timeoutMs: timing.importTimeoutMs });
    case "export":
      return exportTaskSchema.parse({
        ...task.payload,
        ...base,
        timeoutMs: timing.exportTimeoutMs,
        exportId: task.export_id,
      });
    default:
      return assertNever(task.kind);
  }
}

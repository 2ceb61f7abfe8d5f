/**
 * State machines as transition tables. Whatever changes a state asks the table first.
 *
 * Task: `pending → queued → running → succeeded | failed | cancelled`.
 * - `pending`: due when `notBefore` has passed; nobody holds it.
 * - `queued`: claimed by a dispatcher (attempt + 1, lease, bus epoch), published or about to be.
 * - `running`: a worker said `started`; best effort, it only extends the lease. No transition depends on it.
 * - Back to `pending`: retry, unconfirmed publish, ended lease, older bus epoch, dead letter.
 *
 * Conversion: `planning → running → succeeded | failed | cancelled`, by way of `pausing → paused` and `cancelling`.
 * `pausing` and `cancelling` last until nothing of it is queued or running.
 */
export const taskStates = ["pending", "queued", "running", "succeeded", "failed", "cancelled"] as const;
export type TaskState = (typeof taskStates)[number];

export const taskTransitions: Readonly<Record<TaskState, readonly TaskState[]>> = {
  // A result of an older attempt may still end a task that has gone back to pending.
  pending: ["queued", "succeeded", "failed", "cancelled"],
  queued: ["running", "pending", "succeeded", "failed", "cancelled"],
  running: ["pending", "succeeded", "failed", "cancelled"],
  succeeded: [],
  failed: ["pending", "succeeded"],
  cancelled: [],
};

export const conversionStates = [
  "planning",
  "running",
  "pausing",
  "paused",
  "cancelling",
  "succeeded",
  "failed",
  "cancelled",
] as const;
export type ConversionState = (typeof conversionStates)[number];

export const conversionTransitions: Readonly<Record<ConversionState, readonly ConversionState[]>> = {
  planning: ["running", "succeeded", "failed", "pausing", "cancelling"],
  running: ["pausing", "cancelling", "succeeded", "failed"],
  pausing: ["paused", "running", "cancelling", "succeeded", "failed"],
  paused: ["running", "planning", "cancelling"],
  cancelling: ["cancelled", "succeeded", "failed"],
  succeeded: [],
  failed: ["running"],
  cancelled: [],
};

/** Import and export rows of a project. */
export const workStates = ["waiting", "running", "ready", "failed"] as const;
export type WorkState = (typeof workStates)[number];

export function canBecome<S extends string>(table: Readonly<Record<S, readonly S[]>>, from: S, to: S): boolean {
  return table[from].includes(to);
}

export const isLiveTask = (state: TaskState): boolean =>
  state === "pending" || state === "queued" || state === "running";
export const isEndedConversion = (state: ConversionState): boolean =>
  state === "succeeded" || state === "failed" || state === "cancelled";

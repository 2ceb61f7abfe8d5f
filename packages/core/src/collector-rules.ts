import { isLiveTask, type TaskState } from "./states.ts";

/**
 * The collector's rules: what a result does to its task, whatever order results come in and however often.
 *
 * | result    | attempt | task                | take       | task becomes                                   |
 * |-----------|---------|---------------------|------------|------------------------------------------------|
 * | succeeded | any     | live or failed      | registered | succeeded (and every live task with that key)  |
 * | succeeded | any     | succeeded           | registered | unchanged                                      |
 * | succeeded | any     | cancelled           | registered | unchanged                                      |
 * | started   | current | queued              |            | running, lease extended                        |
 * | progress  | current | queued, running     |            | running, lease extended                        |
 * | retry     | current | queued, running     |            | pending with `notBefore`, or failed when spent |
 * | failed    | current | queued, running     |            | failed                                         |
 * | cancelled | current | queued, running     |            | cancelled, or pending when only paused         |
 * | crashed   | current | queued, running     |            | pending, alone; the second time failed(poison) |
 * | any other combination                    |            | unchanged                                      |
 */
export const resultKinds = ["succeeded", "started", "progress", "retry", "failed", "cancelled", "crashed"] as const;
export type ResultKind = (typeof resultKinds)[number];

export interface TaskFacts {
  readonly state: TaskState;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Times that the task was alone with a worker that died. */
  readonly crashes: number;
  /** Whether the task's conversion is being paused (not cancelled). */
  readonly pausing: boolean;
}

export type CollectorEffect =
  | { readonly kind: "none" }
  | { readonly kind: "extend-lease" }
  | { readonly kind: "succeed" }
  | { readonly kind: "retry" }
  | { readonly kind: "retry-alone" }
  | { readonly kind: "fail"; readonly reason: "result" | "spent" | "poison" }
  | { readonly kind: "cancel" }
  | { readonly kind: "hand-back" };

export interface CollectorDecision {
  readonly registerTake: boolean;
  readonly effect: CollectorEffect;
}

const nothing: CollectorDecision = { registerTake: false, effect: { kind: "none" } };

/** Applies the table above to one result. Pure: the caller holds the row lock and writes what it says. */
export function decideResult(result: ResultKind, attempt: number, task: TaskFacts): CollectorDecision {
  if (result === "succeeded") {
    const changes = isLiveTask(task.state) || task.state === "failed";
    return { registerTake: true, effect: changes ? { kind: "succeed" } : { kind: "none" } };
  }
  const held = task.state === "queued" || task.state === "running";
  if (!held || attempt !== task.attempt) return nothing;
  switch (result) {
    case "started":
    case "progress":
      return { registerTake: false, effect: { kind: "extend-lease" } };
    case "retry":
      return {
        registerTake: false,
        effect: task.attempt >= task.maxAttempts ? { kind: "fail", reason: "spent" } : { kind: "retry" },
      };
    case "failed":
      return { registerTake: false, effect: { kind: "fail", reason: "result" } };
    case "cancelled":
      return { registerTake: false, effect: task.pausing ? { kind: "hand-back" } : { kind: "cancel" } };
    case "crashed":
      return {
        registerTake: false,
        effect: task.crashes >= 1 ? { kind: "fail", reason: "poison" } : { kind: "retry-alone" },
      };
    default:
      return nothing;
  }
}

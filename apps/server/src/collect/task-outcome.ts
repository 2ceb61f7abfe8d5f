import { assertNever, canBecome, decideResult, taskTransitions, type ConversionState } from "@katari/core";
import type { LockedTask } from "@katari/database/statements";
import type { TaskReport } from "./task-report.ts";

export interface OutcomeFacts {
  /** State of the task's conversion; undefined for imports and exports. */
  readonly conversionState: ConversionState | undefined;
  readonly nowMs: number;
  readonly leaseMs: number;
  readonly maxRetryMs: number;
}

export interface TaskOutcome {
  /** The task as it is to be written; the very same object when nothing changes. */
  readonly task: LockedTask;
  readonly registerTake: boolean;
}

/**
 * What a report does to its task: core's rule table for what workers say, and the way back for what got lost. A task
 * that would wait again is cancelled instead when its conversion is being cancelled.
 */
export function taskOutcome(task: LockedTask, report: TaskReport, facts: OutcomeFacts): TaskOutcome {
  const { outcome } = report;
  if (outcome.kind === "lost") {
    const held = task.state === "queued" || task.state === "running";
    if (!held || task.attempt !== report.attempt) return { task, registerTake: false };
    // Only an ended lease may be the task's own fault; the bus's faults do not use up its attempts.
    const grace = outcome.why === "lease" ? 0 : 1;
    return { task: waitAgain(task, facts, { max_attempts: task.max_attempts + grace }), registerTake: false };
  }
  const decision = decideResult(outcome.kind, report.attempt, {
    state: task.state,
    attempt: task.attempt,
    maxAttempts: task.max_attempts,
    crashes: task.crashes,
    // A worker may answer `cancelled` to a pause after the conversion was resumed: only a cancelled one loses the task.
    pausing: facts.conversionState !== undefined && !isCancelled(facts.conversionState),
  });
  return { task: applyEffect(task, report, decision.effect, facts), registerTake: decision.registerTake };
}

function applyEffect(
  task: LockedTask,
  { outcome }: TaskReport,
  effect: ReturnType<typeof decideResult>["effect"],
  facts: OutcomeFacts,
): LockedTask {
  switch (effect.kind) {
    case "none":
      return task;
    case "extend-lease":
      return { ...task, state: "running", lease_until: facts.nowMs + facts.leaseMs };
    case "succeed":
      return succeed(task, facts.nowMs);
    case "retry": {
      const afterMs = outcome.kind === "retry" ? outcome.afterMs : 0;
      const pauseMs = Math.min(afterMs * 2 ** (task.attempt - 1), facts.maxRetryMs);
      return waitAgain(task, facts, { not_before: facts.nowMs + Math.max(pauseMs, 0) });
    }
    case "retry-alone":
      // It had the bus's whole delivery limit, so one attempt more has to be there for the run alone.
      return waitAgain(task, facts, {
        crashes: task.crashes + 1,
        alone: true,
        max_attempts: Math.max(task.max_attempts, task.attempt + 1),
      });
    case "hand-back":
      return waitAgain(task, facts, { max_attempts: task.max_attempts + 1 });
    case "cancel":
      return ended(task, "cancelled", facts.nowMs);
    case "fail":
      return { ...ended(task, "failed", facts.nowMs), ...reasonOf(outcome, effect.reason) };
    default:
      return assertNever(effect);
  }
}

/** The task as it stands when its take exists. */
export function succeed(task: LockedTask, nowMs: number): LockedTask {
  return { ...ended(task, "succeeded", nowMs), reason_code: null, reason: null, cure: null };
}

function waitAgain(task: LockedTask, facts: OutcomeFacts, changes: Partial<LockedTask>): LockedTask {
  if (facts.conversionState !== undefined && isCancelled(facts.conversionState))
    return ended(task, "cancelled", facts.nowMs);
  return { ...task, state: "pending", lease_until: null, ...changes };
}

const isCancelled = (state: ConversionState): boolean => state === "cancelling" || state === "cancelled";

function ended(task: LockedTask, state: "succeeded" | "failed" | "cancelled", nowMs: number): LockedTask {
  if (!canBecome(taskTransitions, task.state, state)) return task;
  return { ...task, state, lease_until: null, ended_at: nowMs };
}

function reasonOf(
  outcome: TaskReport["outcome"],
  why: "result" | "spent" | "poison",
): Pick<LockedTask, "reason_code" | "reason" | "cure"> {
  if (why === "poison")
    return {
      reason_code: "internal",
      reason: "A worker died twice while it worked on this.",
      cure: "Change the text of this place a little and convert it again, or report it with the log.",
    };
  if (outcome.kind === "failed")
    return { reason_code: outcome.code, reason: outcome.message, cure: outcome.cure ?? null };
  if (outcome.kind === "retry")
    return {
      reason_code: outcome.code,
      reason: outcome.reason,
      cure: "It was tried several times. Retry the conversion when the reason has gone.",
    };
  return { reason_code: "internal", reason: "The task failed without a reason.", cure: null };
}

import { assertNever, canBecome, conversionTransitions, type ConversionState } from "@katari/core";

export interface ConversionFacts {
  readonly state: ConversionState;
  /** Whether every page of it was planned. */
  readonly planned: boolean;
  /** Live tasks, and failed ones. */
  readonly remaining: number;
  readonly failed: number;
  /** Queued or running tasks. */
  readonly held: number;
}

/**
 * The state that a conversion has come to, from its counts. Whoever changes the counts asks, under the row's lock, and
 * writes the answer; so exactly one transaction sees 0 remaining and ends the conversion. The end of `planning` is the
 * planner's.
 */
export function settledState(facts: ConversionFacts): ConversionState {
  const { state, planned, remaining, failed, held } = facts;
  const done: ConversionState = failed > 0 ? "failed" : "succeeded";
  switch (state) {
    case "running":
      return planned && remaining === 0 ? done : state;
    case "pausing":
      if (planned && remaining === 0) return done;
      return held === 0 ? "paused" : state;
    case "cancelling":
      return remaining === 0 ? "cancelled" : state;
    case "failed":
      // A late success of its last failed task: by way of `running`, which lasts no time.
      return planned && remaining === 0 && failed === 0 && canPass(state, "running", "succeeded") ? "succeeded" : state;
    case "planning":
    case "paused":
    case "succeeded":
    case "cancelled":
      return state;
    default:
      return assertNever(state);
  }
}

function canPass(...states: readonly ConversionState[]): boolean {
  return states.every((to, index) => {
    const from = states[index - 1];
    return from === undefined || canBecome(conversionTransitions, from, to);
  });
}

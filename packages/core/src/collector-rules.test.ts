import { describe, expect, it } from "vitest";
import { decideResult, resultKinds, type CollectorEffect, type ResultKind, type TaskFacts } from "./collector-rules.ts";
import { canBecome, taskStates, taskTransitions, type TaskState } from "./states.ts";

const task = (facts: Partial<TaskFacts> = {}): TaskFacts => ({
  state: "queued",
  attempt: 2,
  maxAttempts: 5,
  crashes: 0,
  pausing: false,
  ...facts,
});

/** Reasoned from the promise of the system: a take is never lost, a late answer never undoes a newer one. */
const rows: readonly [ResultKind, attempt: number, Partial<TaskFacts>, CollectorEffect["kind"], registers: boolean][] =
  [
    // A take is worth keeping whoever asked for it, and ends its task unless somebody cancelled that.
    ["succeeded", 2, { state: "running" }, "succeed", true],
    ["succeeded", 1, { state: "running" }, "succeed", true],
    ["succeeded", 1, { state: "pending" }, "succeed", true],
    ["succeeded", 1, { state: "failed" }, "succeed", true],
    ["succeeded", 2, { state: "succeeded" }, "none", true],
    ["succeeded", 2, { state: "cancelled" }, "none", true],
    // Everything else counts only for the attempt that is held.
    ["started", 2, {}, "extend-lease", false],
    ["started", 1, {}, "none", false],
    ["started", 2, { state: "pending" }, "none", false],
    ["progress", 2, { state: "running" }, "extend-lease", false],
    ["progress", 1, { state: "running" }, "none", false],
    ["retry", 2, {}, "retry", false],
    ["retry", 5, { attempt: 5 }, "fail", false],
    ["retry", 1, {}, "none", false],
    ["failed", 2, {}, "fail", false],
    ["failed", 1, {}, "none", false],
    ["failed", 2, { state: "succeeded" }, "none", false],
    ["cancelled", 2, {}, "cancel", false],
    ["cancelled", 2, { pausing: true }, "hand-back", false],
    ["cancelled", 1, {}, "none", false],
    ["crashed", 2, {}, "retry-alone", false],
    ["crashed", 2, { crashes: 1 }, "fail", false],
    ["crashed", 1, {}, "none", false],
  ];

describe("collector's rules", () => {
  it.each(rows)("%s of attempt %i for %j: %s", (result, attempt, facts, effect, registers) => {
    const decision = decideResult(result, attempt, task(facts));
    expect(decision.effect.kind).toBe(effect);
    expect(decision.registerTake).toBe(registers);
  });

  it("never leave a state that has ended, but for a failed task whose take came after all", () => {
    for (const result of resultKinds)
      for (const state of ["succeeded", "cancelled", "failed"] as const)
        for (const attempt of [1, 2, 3]) {
          const { effect } = decideResult(result, attempt, task({ state }));
          if (state === "failed" && result === "succeeded") expect(effect.kind).toBe("succeed");
          else expect(effect.kind).toBe("none");
        }
  });

  it("only make transitions that the task table allows", () => {
    const becomes: Readonly<Partial<Record<CollectorEffect["kind"], TaskState>>> = {
      "extend-lease": "running",
      succeed: "succeeded",
      retry: "pending",
      "retry-alone": "pending",
      fail: "failed",
      cancel: "cancelled",
      "hand-back": "pending",
    };
    const forbidden: string[] = [];
    for (const result of resultKinds)
      for (const state of taskStates)
        for (const attempt of [1, 2])
          for (const crashes of [0, 1])
            for (const pausing of [true, false]) {
              const { effect } = decideResult(result, attempt, task({ state, crashes, pausing }));
              const to = becomes[effect.kind];
              if (to !== undefined && to !== state && !canBecome(taskTransitions, state, to))
                forbidden.push(`${result}: ${state} → ${to}`);
            }
    expect(forbidden).toEqual([]);
  });

  it("give the same end for the same results in any order: a take always wins over a retry", () => {
    const apply = (order: readonly ResultKind[]): TaskState => {
      let state: TaskState = "running";
      for (const result of order) {
        const { effect } = decideResult(result, 2, task({ state }));
        if (effect.kind === "succeed") state = "succeeded";
        if (effect.kind === "retry") state = "pending";
        if (effect.kind === "fail") state = "failed";
      }
      return state;
    };
    expect(apply(["succeeded", "retry"])).toBe("succeeded");
    expect(apply(["retry", "succeeded"])).toBe("succeeded");
    expect(apply(["failed", "succeeded"])).toBe("succeeded");
    expect(apply(["succeeded", "failed", "succeeded"])).toBe("succeeded");
  });
});

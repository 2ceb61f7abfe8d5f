import type { TaskState } from "@katari/core";
import type { LockedTask } from "@katari/database/statements";
import { describe, expect, it } from "vitest";
import { taskOutcome, type OutcomeFacts } from "./task-outcome.ts";
import type { TaskReport } from "./task-report.ts";

const nowMs = 5_000;
const facts: OutcomeFacts = { conversionState: "running", nowMs, leaseMs: 100, maxRetryMs: 1_000 };

const task = (over: Partial<LockedTask> = {}): LockedTask => ({
  id: "t",
  kind: "speech",
  project_id: "p",
  conversion_id: "c",
  export_id: null,
  document_id: "d",
  lane: "cpu",
  state: "queued",
  attempt: 2,
  max_attempts: 5,
  crashes: 0,
  alone: false,
  lease_until: 4_000,
  bus_epoch: "e",
  not_before: 0,
  priority: 100,
  ordinal: 0,
  take_key: "k",
  reason_code: null,
  reason: null,
  cure: null,
  created_at: 0,
  ended_at: null,
  ...over,
});

const report = (outcome: TaskReport["outcome"], attempt = 2): TaskReport => ({ taskId: "t", attempt, outcome });
const retry = (afterMs: number): TaskReport["outcome"] => ({
  kind: "retry",
  afterMs,
  code: "model-unavailable",
  reason: "away",
});
const failed: TaskReport["outcome"] = { kind: "failed", code: "model-failed", message: "broken", cure: "repair" };

/** What the table of `decideResult` and the words about leases, epochs and back-off in the design ask for. */
const table: readonly [string, Partial<LockedTask>, TaskReport, Partial<OutcomeFacts>, Partial<LockedTask> | "same"][] =
  [
    ["started extends the lease", {}, report({ kind: "started" }), {}, { state: "running", lease_until: 5_100 }],
    ["an older started changes nothing", {}, report({ kind: "started" }, 1), {}, "same"],
    ["a second attempt doubles the pause", {}, report(retry(200)), {}, { state: "pending", not_before: 5_400 }],
    ["the pause has a limit", { attempt: 4 }, report(retry(900), 4), {}, { state: "pending", not_before: 6_000 }],
    [
      "the last attempt's retry is its end",
      { attempt: 5 },
      report(retry(1), 5),
      {},
      { state: "failed", reason_code: "model-unavailable", reason: "away", ended_at: nowMs },
    ],
    [
      "failed keeps its reason and cure",
      {},
      report(failed),
      {},
      { state: "failed", reason_code: "model-failed", reason: "broken", cure: "repair" },
    ],
    ["an older failure changes nothing", {}, report(failed, 1), {}, "same"],
    [
      "a crash is tried again, alone",
      {},
      report({ kind: "crashed" }),
      {},
      { state: "pending", alone: true, crashes: 1 },
    ],
    [
      "a crash of the last attempt still gets its run alone",
      { attempt: 5 },
      report({ kind: "crashed" }, 5),
      {},
      { state: "pending", alone: true, max_attempts: 6 },
    ],
    [
      "a second crash is poison",
      { crashes: 1, alone: true },
      report({ kind: "crashed" }),
      {},
      { state: "failed", reason_code: "internal" },
    ],
    ["an ended lease uses up an attempt", {}, report({ kind: "lost", why: "lease" }), {}, { max_attempts: 5 }],
    [
      "another epoch does not",
      {},
      report({ kind: "lost", why: "epoch" }),
      {},
      { state: "pending", max_attempts: 6, lease_until: null },
    ],
    [
      "what was lost before an answer came is lost no more",
      { attempt: 3 },
      report({ kind: "lost", why: "lease" }),
      {},
      "same",
    ],
    [
      "nothing waits in a conversion that is being cancelled",
      {},
      report(retry(1)),
      { conversionState: "cancelling" },
      { state: "cancelled", ended_at: nowMs },
    ],
    [
      "cancelled ends the task of a cancelled conversion",
      {},
      report({ kind: "cancelled" }),
      { conversionState: "cancelling" },
      { state: "cancelled" },
    ],
    [
      "cancelled hands back the task of a paused one",
      {},
      report({ kind: "cancelled" }),
      { conversionState: "pausing" },
      { state: "pending", max_attempts: 6 },
    ],
    [
      "cancelled hands back, too, when the pause is over before the answer comes",
      {},
      report({ kind: "cancelled" }),
      { conversionState: "running" },
      { state: "pending" },
    ],
  ];

describe("what becomes of a task", () => {
  it.each(table)("%s", (_, before, given, otherFacts, expected) => {
    const was = task(before);
    const { task: now } = taskOutcome(was, given, { ...facts, ...otherFacts });
    expect(now).toMatchObject(expected === "same" ? was : expected);
  });

  const success = report(
    {
      kind: "succeeded",
      result: {
        kind: "speech",
        rendered: true,
        take: {
          key: "k",
          audioKey: "a",
          sampleRate: 1,
          lengthSamples: 1,
          parts: [],
          checks: { peak: 0, levelDb: 0, suspicions: [] },
        },
      },
    },
    1,
  );
  it.each<[TaskState, TaskState]>([
    ["pending", "succeeded"],
    ["queued", "succeeded"],
    ["running", "succeeded"],
    ["failed", "succeeded"],
    ["succeeded", "succeeded"],
    ["cancelled", "cancelled"],
  ])("a success of an older attempt leaves a %s task %s and registers the take", (state, expected) => {
    const result = taskOutcome(task({ state }), success, facts);
    expect(result).toMatchObject({ registerTake: true, task: { state: expected } });
  });
});

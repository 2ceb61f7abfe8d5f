import type { Outcome } from "@katari/contracts";
import { taskStates, type ConversionState, type TaskState } from "@katari/core";
import type { DatabaseHandle } from "@katari/database";
import {
  advancePlanning,
  findConversion,
  insertBlocks,
  insertConversion,
  insertDocuments,
  insertProject,
  insertSegments,
  insertSpeechTasks,
  insertWantedTakes,
  listDocuments,
  listEvents,
  updateConversion,
  upsertSpokenForms,
} from "@katari/database/statements";
import { clearDatabase, openTestDatabase, testDatabases } from "@katari/database/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { settleTasks } from "./settle-tasks.ts";
import type { TaskReport } from "./task-report.ts";

const options = { nowMs: 10_000, leaseMs: 1_000, maxRetryMs: 1_000, mayTell: () => true, owedTo: () => [] };

const take = {
  key: "k",
  audioKey: "takes/k.wav",
  sampleRate: 24_000,
  lengthSamples: 48_000,
  parts: [{ startSamples: 0, endSamples: 48_000, soundStartSamples: 12_000, soundEndSamples: 36_000, words: [] }],
  checks: { peak: 0.5, levelDb: -20, suspicions: [] },
};
const succeeded = (audioKey = take.audioKey): Outcome => ({
  kind: "succeeded",
  result: { kind: "speech", take: { ...take, audioKey }, rendered: true },
});
const failed: Outcome = { kind: "failed", code: "model-failed", message: "broken" };
const retry: Outcome = { kind: "retry", afterMs: 10, code: "model-unavailable", reason: "away" };
const started: Outcome = { kind: "started" };

for (const { kind, title, missing } of testDatabases)
  describe.skipIf(missing)(`settling results in ${title}`, () => {
    let database: DatabaseHandle;
    beforeAll(async () => {
      database = await openTestDatabase(kind);
    });
    afterAll(() => database.close());
    afterEach(() => clearDatabase(database));

    const settle = (...reports: TaskReport[]) => database.transaction((trx) => settleTasks(trx, reports, options));
    const report = (outcome: TaskReport["outcome"], over: Partial<TaskReport> = {}): TaskReport => ({
      taskId: "c-t",
      attempt: 2,
      outcome,
      ...over,
    });

    /** A project of one sentence, with one planned conversion for each id, all wanting the take `k`. */
    async function setUp(conversions: readonly string[], state: TaskState = "queued"): Promise<void> {
      const { db } = database;
      const base = { nowMs: 0, title: "T", digest: "d", fileName: "f", sizeBytes: 1, objectKey: "o" };
      await insertProject(db, { ...base, id: "p", ownerId: "ann", sourceId: "s" });
      const document = { id: "d", ordinal: 0, title: "D", language: "en", anchor: {}, characters: 1, segments: 1 };
      await insertDocuments(db, { projectId: "p", rows: [document] });
      const block = { id: "b", ordinal: 0, kind: "paragraph", language: "en", text: "Hi.", spans: [] };
      await insertBlocks(db, { documentId: "d", rows: [{ ...block, source_range: {}, anchor: {} }] });
      const segment = { id: "s", block_id: "b", ordinal: 0, range_start: 0, range_end: 3, text: "Hi.", characters: 3 };
      const boundary = { kind: "sentence" };
      await insertSegments(db, { projectId: "p", documentId: "d", rows: [{ ...segment, boundary }] });
      await upsertSpokenForms(db, [{ segment_id: "s", revision: "1", form: { spoken: "Hi." }, voiced: true }]);
      for (const [index, id] of conversions.entries()) {
        await insertConversion(db, {
          id,
          projectId: "p",
          ownerId: "ann",
          rendering: {},
          lane: "cpu",
          documentIds: ["d"],
          nowMs: index,
        });
        const task = { id: `${id}-t`, ordinal: 0, take_key: "k", payload: {} };
        const of = { projectId: "p", conversionId: id, documentId: "d", lane: "cpu", nowMs: 0 } as const;
        expect(await insertSpeechTasks(db, { ...of, rows: [task] })).toBe(1);
        await advancePlanning(db, { conversionId: id, documents: 1, segments: 0, utterances: 1 });
        await updateConversion(db, { id, state: "running", addRemaining: 1, addTasks: 1 });
      }
      const [wanting] = conversions;
      if (wanting !== undefined)
        await insertWantedTakes(db, {
          conversionId: wanting,
          rows: [{ segment_id: "s", ordinal: 0, take_key: "k", take_part: 0 }],
        });
      await db.updateTable("tasks").set({ attempt: 2, lease_until: 20_000, state }).execute();
      if (state === "failed")
        await db.updateTable("conversions").set({ state: "failed", remaining: 0, failed: 1 }).execute();
    }

    const read = async (id = "c") => {
      const conversion = await findConversion(database.db, { conversionId: id, ownerId: "ann" });
      const task = await database.db.selectFrom("tasks").selectAll().where("conversion_id", "=", id).executeTakeFirst();
      const takes = await database.db.selectFrom("takes").selectAll().execute();
      return {
        state: conversion?.state,
        remaining: conversion?.remaining,
        failed: conversion?.failed,
        task: task?.state,
        takes: takes.map((row) => row.audio_key),
      };
    };

    const done = { state: "succeeded", remaining: 0, failed: 0, task: "succeeded", takes: ["takes/k.wav"] };

    const orders = <T>(items: readonly T[]): readonly (readonly T[])[] =>
      items.length <= 1
        ? [items]
        : items.flatMap((item, index) =>
            orders(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
          );
    const alphabet: Readonly<Record<string, TaskReport>> = {
      started: report(started),
      retry: report(retry),
      failed: report(failed),
      lost: report({ kind: "lost", why: "lease" }),
      crashed: report({ kind: "crashed" }),
      succeeded: report(succeeded()),
      "succeeded late": report(succeeded(), { attempt: 1 }),
    };
    const names = [
      ...orders(["started", "retry", "succeeded"]),
      ...orders(["started", "failed", "succeeded late"]),
      ...orders(["lost", "crashed", "succeeded"]),
    ].map((order) => [order.join(", "), order] as const);

    it.each(names)("has the take and succeeds after %s, also when all of it comes twice", async (_, order) => {
      await setUp(["c"]);
      for (const name of order) await settle(...[alphabet[name]].filter((each) => each !== undefined));
      expect(await read()).toEqual(done);
      for (const name of order) await settle(...[alphabet[name]].filter((each) => each !== undefined));
      expect(await read()).toEqual(done);
      const [document] = await listDocuments(database.db, "p");
      // 1 s of sound, 30 ms of margin at both ends, and 420 ms for a sentence's end.
      expect([document?.voiced_segments, document?.ready_segments, document?.audio_ms]).toEqual([1, 1, 1_480]);
    });

    it.each(names)("does the same when %s come as one batch", async (_, order) => {
      await setUp(["c"]);
      const batch = order.flatMap((name) => alphabet[name] ?? []);
      await settle(...batch, ...batch);
      expect(await read()).toEqual(done);
    });

    it("keeps the first of two different takes with one key", async () => {
      await setUp(["c"]);
      await settle(report(succeeded("takes/first.wav")));
      await settle(report(succeeded("takes/second.wav")));
      expect((await read()).takes).toEqual(["takes/first.wav"]);
    });

    it("finishes live and failed tasks with the same take in other conversions", async () => {
      await setUp(["c", "other"]);
      await settle(report(failed, { taskId: "other-t" }));
      expect(await read("other")).toMatchObject({ state: "failed", failed: 1, remaining: 0 });
      await settle(report(succeeded()));
      expect(await read("c")).toEqual(done);
      expect(await read("other")).toEqual(done);
    });

    const expectedAfter: Readonly<Record<TaskState, readonly [TaskState, ConversionState]>> = {
      pending: ["succeeded", "succeeded"],
      queued: ["succeeded", "succeeded"],
      running: ["succeeded", "succeeded"],
      succeeded: ["succeeded", "running"],
      failed: ["succeeded", "succeeded"],
      cancelled: ["cancelled", "running"],
    };
    it.each(taskStates)("registers the take of a task that is %s", async (state) => {
      await setUp(["c"], state);
      await settle(report(succeeded(), { attempt: 1 }));
      const [task, conversion] = expectedAfter[state];
      expect(await read()).toMatchObject({ task, state: conversion, takes: ["takes/k.wav"] });
    });

    it("counts a failure once and says why", async () => {
      await setUp(["c"]);
      await settle(report(failed));
      await settle(report(failed));
      expect(await read()).toMatchObject({ state: "failed", remaining: 0, failed: 1 });
      const events = await listEvents(database.db, { projectId: "p", after: 0, limit: 10 });
      expect(events.map(({ event }) => event)).toEqual([
        { type: "task-failed", conversionId: "c", taskId: "c-t", code: "model-failed", message: "broken" },
        { type: "conversion", conversionId: "c", state: "failed" },
      ]);
    });

    it("passes over results of tasks that it does not know", async () => {
      await setUp(["c"]);
      await settle(report(succeeded(), { taskId: "nobody" }), report(started));
      expect(await read()).toMatchObject({ task: "running", state: "running" });
    });
  });

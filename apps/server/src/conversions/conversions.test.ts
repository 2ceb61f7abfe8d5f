import type { DatabaseHandle } from "@katari/database";
import { clearDatabase, openTestDatabase } from "@katari/database/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isSpeech, spoken, until } from "../testing/hand-worker.ts";
import { ann, bob, openWorkshop, type Workshop } from "../testing/workshop.ts";

const sentence = (n: number): string =>
  `Number ${n} walked along the river for a long while before it came to the old stone bridge by the mill.`;
const chapter = (title: string, count: number, from = 0) => ({
  title,
  paragraphs: Array.from({ length: count }, (_, n) => [sentence(from + n)]),
});

describe("a conversion under command", () => {
  let database: DatabaseHandle;
  let workshop: Workshop;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    workshop = await openWorkshop(database);
    await workshop.worker.announce();
  });
  afterEach(async () => {
    await workshop.close();
    await clearDatabase(database);
  });

  const states = async () => {
    const rows = await database.db.selectFrom("tasks").select("state").where("kind", "=", "speech").execute();
    return rows.map((row) => row.state).sort();
  };

  it("is cancelled at once where nobody works on it, and by the worker's answer elsewhere", async () => {
    const { application, worker, bus } = workshop;
    const projectId = await workshop.importBook([chapter("One", 20)]);
    const control: unknown[] = [];
    const end = bus.listen("control", (body) => control.push(body));
    const { id } = await application.startConversion(ann, projectId, { voice: "hand" });
    // 4 slots in each of two queues, 4 tasks a slot: a window of 32, so that all are with the worker.
    const held = (await worker.waitFor(20)).filter(isSpeech);
    if (held[0]) await held[0].answer(spoken(held[0].task));
    await until(async () => (await application.getConversion(ann, id)).remaining === 19);

    expect((await application.cancelConversion(ann, id)).state).toBe("cancelling");
    await until(() => control.length > 0);
    expect(control).toEqual([{ v: 1, kind: "cancel-conversion", conversionId: id }]);
    // One was finished just before the worker heard of it: the take stays, and so does its task's end.
    if (held[1]) await held[1].answer(spoken(held[1].task));
    for (const each of worker.held) await each.answer({ kind: "cancelled" });
    await workshop.conversionIs(id, "cancelled");
    const ended = await states();
    expect(ended.filter((state) => state === "succeeded")).toHaveLength(2);
    expect(ended.filter((state) => state === "cancelled")).toHaveLength(18);
    expect((await application.cancelConversion(ann, id)).state).toBe("cancelled");
    await expect(application.resumeConversion(ann, id)).rejects.toMatchObject({ code: "conflict" });
    await expect(application.retryConversion(ann, id)).rejects.toMatchObject({ code: "conflict" });

    // A new one takes up what is there.
    const next = await application.startConversion(ann, projectId, { voice: "hand" });
    await worker.waitFor(18);
    expect((await application.getConversion(ann, next.id)).tasks).toBe(18);
    end();
  });

  it("pauses when the workers have given back what they held, and goes on where it was", async () => {
    const { application, worker } = workshop;
    const projectId = await workshop.importBook([chapter("One", 3)]);
    const { id } = await application.startConversion(ann, projectId, { voice: "hand" });
    await worker.waitFor(3);
    await workshop.conversionIs(id, "running");
    expect((await application.pauseConversion(ann, id)).state).toBe("pausing");
    for (const each of worker.held) await each.answer({ kind: "cancelled" });
    await workshop.conversionIs(id, "paused");
    expect(await states()).toEqual(["pending", "pending", "pending"]);
    expect(worker.held).toEqual([]);

    expect((await application.resumeConversion(ann, id)).state).toBe("running");
    for (const each of (await worker.waitFor(3)).filter(isSpeech)) await each.answer(spoken(each.task));
    await workshop.conversionIs(id, "succeeded");
    await expect(application.pauseConversion(ann, id)).rejects.toMatchObject({ code: "conflict" });
  });

  it("succeeds at once when all its takes are there, whoever made them", async () => {
    const { application, worker } = workshop;
    const projectId = await workshop.importBook([chapter("One", 2)]);
    const first = await application.startConversion(ann, projectId, { voice: "hand" });
    for (const each of (await worker.waitFor(2)).filter(isSpeech)) await each.answer(spoken(each.task));
    await workshop.conversionIs(first.id, "succeeded");

    const theirs = await workshop.importBook([chapter("One", 2)], bob);
    const second = await application.startConversion(bob, theirs, { voice: "hand" });
    await workshop.conversionIs(second.id, "succeeded", bob);
    expect(await application.getConversion(bob, second.id)).toMatchObject({ tasks: 0, remaining: 0 });
    expect(await application.getProject(bob, theirs)).toMatchObject({ voicedSegments: 2, readySegments: 2 });
  });

  it("makes one task of words that stand twice in it", async () => {
    const { application, worker } = workshop;
    const projectId = await workshop.importBook([chapter("One", 1), chapter("Two", 1)]);
    const { id } = await application.startConversion(ann, projectId, { voice: "hand" });
    const [held] = (await worker.waitFor(1)).filter(isSpeech);
    await workshop.conversionIs(id, "running");
    expect((await application.getConversion(ann, id)).tasks).toBe(1);
    if (held) await held.answer(spoken(held.task));
    await workshop.conversionIs(id, "succeeded");
    const { documents } = await application.getProject(ann, projectId);
    expect(documents.map((each) => each.readySegments)).toEqual([1, 1]);
  });

  it("is made once for an idempotency key", async () => {
    const { application } = workshop;
    const projectId = await workshop.importBook([chapter("One", 1)]);
    const start = () => application.startConversion(ann, projectId, { voice: "hand", idempotencyKey: "x" });
    const made = await Promise.all([start(), start(), start()]);
    expect(new Set(made.map((each) => each.id)).size).toBe(1);
  });

  it("refuses voices and documents that are not there, with a cure", async () => {
    const { application } = workshop;
    const projectId = await workshop.importBook([chapter("One", 1)]);
    await expect(application.startConversion(ann, projectId, { voice: "nobody" })).rejects.toMatchObject({
      code: "unknown-voice",
    });
    await expect(
      application.startConversion(ann, projectId, { voice: "hand", documents: ["elsewhere"] }),
    ).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("puts first what somebody listens to", async () => {
    const { application, worker } = workshop;
    const projectId = await workshop.importBook([chapter("One", 100)]);
    await worker.announce(0);
    const { id } = await application.startConversion(ann, projectId, { voice: "hand" });
    await workshop.conversionIs(id, "running");
    // A lane without slots has a window of 16.
    await worker.waitFor(16);
    const [document] = (await application.getProject(ann, projectId)).documents;
    const { segments } = await application.listSegments(ann, {
      projectId,
      documentId: document?.id ?? "",
      limit: 100,
    });
    await application.listenFrom(ann, projectId, segments[60]?.id ?? "");
    for (const each of worker.held.filter(isSpeech)) await each.answer(spoken(each.task));
    // The window is filled again whenever a quarter of it is free, so at least three quarters are out.
    const next = (await worker.waitFor(12)).filter(isSpeech);
    expect(next.every((each) => each.queue === "speech.cpu.interactive" && each.task.interactive)).toBe(true);
    const wanted = await database.db
      .selectFrom("wanted_takes")
      .innerJoin("segments", "segments.id", "wanted_takes.segment_id")
      .select(["segments.ordinal", "take_key"])
      .execute();
    const places = next.map((each) => wanted.find((row) => row.take_key === each.task.takeKey)?.ordinal);
    expect(places).toEqual(Array.from({ length: next.length }, (_, n) => 60 + n));
  });

  it("serves two owners alike, though one has a far longer book", async () => {
    const { application, worker } = workshop;
    await worker.announce(0);
    const long = await workshop.importBook([chapter("One", 100)]);
    const short = await workshop.importBook([chapter("One", 20, 500)], bob);
    const first = await application.startConversion(ann, long, { voice: "hand" });
    await workshop.conversionIs(first.id, "running");
    await worker.waitFor(16);
    const second = await application.startConversion(bob, short, { voice: "hand" });
    await workshop.conversionIs(second.id, "running", bob);
    for (const each of worker.held.filter(isSpeech)) await each.answer(spoken(each.task));
    const served = { ann: 0, bob: 0 };
    await until(async () => {
      for (const each of worker.held.filter(isSpeech)) {
        served[each.task.projectId === long ? "ann" : "bob"]++;
        await each.answer(spoken(each.task));
      }
      return (await application.getConversion(bob, second.id)).state === "succeeded";
    });
    // While Bob's 20 were served, Ann had as many, and at most another window of 16 that was out already.
    expect(served.bob).toBe(20);
    expect(served.ann).toBeLessThanOrEqual(20 + 16);
  });

  it("deletes a project with everything that is its own, and keeps the takes", async () => {
    const { application, worker } = workshop;
    const projectId = await workshop.importBook([chapter("One", 2)]);
    const { id } = await application.startConversion(ann, projectId, { voice: "hand" });
    for (const each of (await worker.waitFor(2)).filter(isSpeech)) await each.answer(spoken(each.task));
    await workshop.conversionIs(id, "succeeded");
    await application.deleteProject(ann, projectId);
    await expect(application.getProject(ann, projectId)).rejects.toMatchObject({ code: "not-found" });
    await until(async () => (await database.db.selectFrom("projects").select("id").execute()).length === 0);
    for (const table of ["documents", "segments", "tasks", "events", "conversions"] as const)
      expect(await database.db.selectFrom(table).selectAll().execute()).toEqual([]);
    expect(await database.db.selectFrom("takes").select("key").execute()).toHaveLength(2);
  });
});

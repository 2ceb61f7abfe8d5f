import type { DatabaseHandle } from "@katari/database";
import { clearDatabase, openTestDatabase } from "@katari/database/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isExport, isSpeech, spoken } from "./testing/hand-worker.ts";
import { ann, bob, bytes, openWorkshop, type Workshop } from "./testing/workshop.ts";

const chapters = [
  { title: "One", paragraphs: [["The cat sat on the mat.", "It was warm."], ["* * *"], ["Then it slept."]] },
  { title: "Two", paragraphs: [["Nobody saw it leave.", "The mat was cold."]] },
];
/** Letters, digits and marks of the sentences above, counted by hand: 18 + 10 + 3 + 12 and 17 + 14. */
const charactersOfChapters = 43 + 31;

describe("the application, from upload to file", () => {
  let database: DatabaseHandle;
  let workshop: Workshop;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    workshop = await openWorkshop(database);
  });
  afterEach(async () => {
    await workshop.close();
    await clearDatabase(database);
  });

  it("imports, plans, dispatches, collects and exports a book", async () => {
    const { application, worker } = workshop;
    await worker.announce();
    const projectId = await workshop.importBook(chapters);
    const project = await application.getProject(ann, projectId);
    expect(project.title).toBe("A Small Book");
    expect(project.documents.map((each) => [each.index, each.title, each.segments])).toEqual([
      [1, "One", 4],
      [2, "Two", 2],
    ]);

    const { id } = await application.startConversion(ann, projectId, { voice: "hand" });
    await worker.waitFor(2);
    while ((await application.getConversion(ann, id)).state !== "succeeded") {
      for (const held of worker.held.filter(isSpeech)) await held.answer(spoken(held.task));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const done = await application.getProject(ann, projectId);
    expect([done.voicedSegments, done.readySegments]).toEqual([5, 5]);

    const completeness = await application.getCompleteness(ann, projectId);
    expect(completeness.characters).toBe(charactersOfChapters + 12);
    expect(completeness.voiced).toBe(charactersOfChapters - 3);
    expect(completeness.skipped).toEqual([
      { rule: "titlepage", title: "Title page", characters: 12 },
      { rule: "no-words", characters: 3 },
    ]);
    expect([completeness.waiting, completeness.failed]).toEqual([0, []]);

    const made = await application.startExport(ann, projectId, { format: "m4b" });
    const [held] = (await worker.waitFor(1)).filter(isExport);
    if (held === undefined) throw new Error("no export task");
    const file = {
      objectKey: "exports/a.m4b",
      sha256: "c".repeat(64),
      sizeBytes: 10,
      sampleRate: 24_000,
      lengthSamples: 48_000,
      loudnessLufs: -19,
      truePeakDbtp: -3,
      gainDb: 1,
      timelineKey: "exports/a.json",
    };
    await held.answer({ kind: "succeeded", result: { kind: "export", file } });
    while ((await application.getExport(ann, made.id)).state !== "ready") await new Promise((r) => setTimeout(r, 5));
    expect(await application.getExportFile(ann, made.id)).toEqual({
      objectKey: "exports/a.m4b",
      fileName: "A Small Book.m4b",
      sizeBytes: 10,
      mediaType: "audio/mp4",
      sha256: "c".repeat(64),
    });
    // The same plan in the same format is the same file.
    expect((await application.startExport(ann, projectId, { format: "m4b" })).id).toBe(made.id);

    const events = await application.eventsAfter(ann, projectId, 0, 1_000);
    expect(events.map((event) => event.id)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.event).toEqual({ type: "export", exportId: made.id, state: "ready", progress: 1 });
  });

  it("shows an owner nothing of others", async () => {
    const projectId = await workshop.importBook(chapters);
    const { application } = workshop;
    expect(await application.listProjects(bob)).toEqual([]);
    const notFound = { code: "not-found" };
    await expect(application.getProject(bob, projectId)).rejects.toMatchObject(notFound);
    await expect(application.getCompleteness(bob, projectId)).rejects.toMatchObject(notFound);
    await expect(application.eventsAfter(bob, projectId, 0, 1)).rejects.toMatchObject(notFound);
    await expect(application.startConversion(bob, projectId, { voice: "hand" })).rejects.toMatchObject(notFound);
    await expect(application.startExport(bob, projectId, {})).rejects.toMatchObject(notFound);
    await expect(application.deleteProject(bob, projectId)).rejects.toMatchObject(notFound);
  });

  it("refuses a file that is too large or empty and keeps nothing of it", async () => {
    const { application, store } = workshop;
    const upload = (text: string) =>
      application.createProject(ann, { fileName: "a.txt", body: bytes(text), maxBytes: 4 });
    await expect(upload("12345")).rejects.toMatchObject({ code: "too-large" });
    await expect(upload("")).rejects.toMatchObject({ code: "empty-source" });
    const kept = [];
    for (const prefix of ["uploads/", "sources/"]) for await (const object of store.list(prefix)) kept.push(object.key);
    expect(kept).toEqual([]);
    expect(await application.listProjects(ann)).toEqual([]);
  });
});

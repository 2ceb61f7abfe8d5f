import type { DatabaseHandle } from "@katari/database";
import { clearDatabase, openTestDatabase } from "@katari/database/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { putImport } from "../testing/book.ts";
import { isImport, until } from "../testing/hand-worker.ts";
import { ann, bytes, openWorkshop, type Workshop } from "../testing/workshop.ts";

const chapters = [
  { title: "One", paragraphs: Array.from({ length: 700 }, (_, n) => [`Sentence ${n}.`, `And ${n} again.`]) },
  { title: "Two", paragraphs: [["The end."]] },
];

describe("loading an import", () => {
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

  const upload = async () => {
    const { application, worker } = workshop;
    const { projectId } = await application.createProject(ann, {
      fileName: "../odd/small.epub",
      body: bytes("book"),
      maxBytes: 100,
    });
    const [held] = (await worker.waitFor(1)).filter(isImport);
    if (held === undefined) throw new Error("no import task");
    return { projectId, held };
  };
  const stateIs = (projectId: string, state: string) =>
    until(async () => (await workshop.application.getProject(ann, projectId)).importState === state);

  it("goes on after a crash in the middle, with every row once", async () => {
    const { projectId, held } = await upload();
    expect(held.task).toMatchObject({ fileName: "small.epub", sourceKey: `sources/${held.task.sourceDigest}` });
    const indexKey = await putImport(workshop.store, { projectId, taskId: held.task.taskId, chapters });
    // The second chapter is not there yet: the loader fails in the middle, as it would by a store that is away.
    const second = `imports/${held.task.taskId}/2.json`;
    const kept = await workshop.store.get(second);
    await workshop.store.put(second, new TextEncoder().encode("{}"));
    await held.answer({ kind: "succeeded", result: { kind: "import", indexKey } });
    await stateIs(projectId, "failed");
    expect(await workshop.application.getProject(ann, projectId)).toMatchObject({
      importCode: "internal",
      segments: 1_401,
    });

    await workshop.store.put(second, kept);
    await database.db.updateTable("projects").set({ import_state: "running" }).execute();
    await stateIs(projectId, "ready");
    const count = async (table: "blocks" | "segments" | "skipped_texts" | "source_files") =>
      (await database.db.selectFrom(table).selectAll().execute()).length;
    expect(await count("blocks")).toBe(701);
    expect(await count("segments")).toBe(1_401);
    expect(await count("skipped_texts")).toBe(1);
    expect(await count("source_files")).toBe(1);
    const [document] = (await workshop.application.getProject(ann, projectId)).documents;
    const { segments, next } = await workshop.application.listSegments(ann, {
      projectId,
      documentId: document?.id ?? "",
      limit: 3,
    });
    expect(segments.map((segment) => [segment.text, segment.state])).toEqual([
      ["Sentence 0.", "unplanned"],
      ["And 0 again.", "unplanned"],
      ["Sentence 1.", "unplanned"],
    ]);
    const page = await workshop.application.listSegments(ann, {
      projectId,
      documentId: document?.id ?? "",
      limit: 1,
      ...(next === undefined ? {} : { after: next }),
    });
    expect(page.segments[0]?.text).toBe("And 1 again.");
  });

  it("fails when a character was lost on the way", async () => {
    const { projectId, held } = await upload();
    const indexKey = await putImport(workshop.store, { projectId, taskId: held.task.taskId, chapters });
    const index = JSON.parse(new TextDecoder().decode(await workshop.store.get(indexKey))) as {
      files: { characters: number }[];
    };
    for (const file of index.files) file.characters += 1;
    await workshop.store.put(indexKey, new TextEncoder().encode(JSON.stringify(index)));
    await held.answer({ kind: "succeeded", result: { kind: "import", indexKey } });
    await stateIs(projectId, "failed");
    const { importMessage, importCure } = await workshop.application.getProject(ann, projectId);
    expect(importMessage).toBe("The import lost text of the source.");
    expect(importCure).toBeDefined();
  });

  it("tells why a source could not be read", async () => {
    const { projectId, held } = await upload();
    await held.send({ kind: "started" });
    await stateIs(projectId, "running");
    await held.answer({
      kind: "failed",
      code: "encrypted-source",
      message: "The book is encrypted.\0",
      cure: "Take another.",
    });
    await stateIs(projectId, "failed");
    const { application } = workshop;
    expect(await application.getProject(ann, projectId)).toMatchObject({
      importCode: "encrypted-source",
      // NUL cannot be stored; it becomes the character that stands for what cannot be shown.
      importMessage: "The book is encrypted.\ufffd",
      importCure: "Take another.",
    });
    const events = await application.eventsAfter(ann, projectId, 0, 10);
    expect(events.map(({ event }) => event.type === "import" && event.state)).toEqual(["waiting", "running", "failed"]);
    await expect(application.startConversion(ann, projectId, { voice: "hand" })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("wakes whoever waits for events of the project, and nobody else", async () => {
    const { projectId, held } = await upload();
    let mine = 0;
    let others = 0;
    const end = workshop.application.onEvents(projectId, () => mine++);
    workshop.application.onEvents("another", () => others++);
    await held.send({ kind: "started" });
    await until(() => mine === 1);
    end();
    await held.answer({ kind: "failed", code: "empty-source", message: "Empty." });
    await stateIs(projectId, "failed");
    expect([mine, others]).toEqual([1, 0]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DatabaseHandle } from "../handle.ts";
import { openTestDatabase, testDatabases } from "../testing.ts";
import { claimTasks, insertConversion, insertDocuments, insertProject, insertSpeechTasks } from "./index.ts";

for (const { kind, title, missing } of testDatabases)
  describe.skipIf(missing)(`claiming the tasks of a conversion in ${title}`, () => {
    let database: DatabaseHandle;
    beforeAll(async () => {
      database = await openTestDatabase(kind);
      const { db } = database;
      const base = { nowMs: 0, title: "T", digest: "d", fileName: "f", sizeBytes: 1, objectKey: "o" };
      await insertProject(db, { ...base, id: "p", ownerId: "ann", sourceId: "s" });
      const document = { id: "d", ordinal: 0, title: "D", language: "en", anchor: {}, characters: 1, segments: 1 };
      await insertDocuments(db, { projectId: "p", rows: [document] });
    });
    afterAll(() => database.close());

    /** A conversion of tasks with so many phonemes each, in the order of the book. */
    async function conversionOf(id: string, lengths: readonly number[]): Promise<void> {
      const { db } = database;
      const of = { projectId: "p", conversionId: id, documentId: "d", lane: "cpu", nowMs: 0 } as const;
      const conversion = {
        id,
        projectId: "p",
        ownerId: "ann",
        rendering: {},
        lane: "cpu",
        documentIds: ["d"],
      } as const;
      await insertConversion(db, { ...conversion, nowMs: 0 });
      const rows = lengths.map((length, ordinal) => ({
        id: `${id}${ordinal}`,
        ordinal,
        take_key: `${id}${ordinal}`,
        payload: { phonemes: "a".repeat(length), parts: [] },
      }));
      await insertSpeechTasks(db, { ...of, rows });
    }

    async function claim(id: string, n: number, tail: number): Promise<readonly string[]> {
      const choice = { shares: [{ conversion_id: id, n }], tail, nowMs: 1 };
      const claimed = await claimTasks(database.db, choice, { leaseUntilMs: 1, busEpoch: "e" });
      return claimed.map((task) => task.id);
    }

    it("goes through the book in its order, and through the last ones from the longest to the shortest", async () => {
      await conversionOf("c", [5, 1, 9, 3, 2, 7, 4, 8]);
      expect(await claim("c", 3, 4)).toEqual(["c0", "c1", "c2"]);
      // Five are left: one more in the book's order, then the last four by length: 8, 7, 4, 2.
      expect(await claim("c", 3, 4)).toEqual(["c3", "c7", "c5"]);
      expect(await claim("c", 3, 4)).toEqual(["c6", "c4"]);
      expect(await claim("c", 3, 4)).toEqual([]);
    });

    it("keeps what somebody waits for in front of the longest", async () => {
      await conversionOf("u", [1, 2, 3, 4]);
      await database.db.updateTable("tasks").set({ priority: 50 }).where("id", "=", "u1").execute();
      expect(await claim("u", 4, 4)).toEqual(["u1", "u3", "u2", "u0"]);
    });
  });

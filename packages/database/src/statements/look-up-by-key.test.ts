import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Db, DatabaseHandle } from "../handle.ts";
import { openTestDatabase, testDatabases } from "../testing.ts";
import {
  deleteTakes,
  deleteWantedTakes,
  findTouchedConversions,
  insertConversion,
  insertDocuments,
  insertProject,
  listDocumentsOfTakes,
  listKnownTakes,
  lockTouchedTasks,
  refreshStatistics,
} from "./index.ts";

const segments = 5_000;
const key = (at: number): string => `k${at}`;

/** What is done for every batch of results may not cost more the longer the book is: it reads rows by their keys. */
for (const { kind, title, missing } of testDatabases)
  describe.skipIf(missing)(`a few rows of a long book in ${title}`, () => {
    let database: DatabaseHandle;
    beforeAll(async () => {
      database = await openTestDatabase(kind);
      const { db } = database;
      const project = { nowMs: 0, title: "T", digest: "d", fileName: "f", sizeBytes: 1, objectKey: "o" };
      await insertProject(db, { ...project, id: "p", ownerId: "ann", sourceId: "s" });
      const document = { id: "d", ordinal: 0, title: "D", language: "en", anchor: {}, characters: 1, segments };
      await insertDocuments(db, { projectId: "p", rows: [document] });
      const conversion = { id: "c", projectId: "p", ownerId: "ann", rendering: {}, lane: "cpu" } as const;
      await insertConversion(db, { ...conversion, documentIds: ["d"], nowMs: 0 });
      const numbers = sql`generate_series(0, ${segments - 1}::integer) as n`;
      await sql`insert into blocks (id, document_id, ordinal, kind, language, text, source_range, anchor)
        select 'b' || n, 'd', n, 'paragraph', 'en', 'One.', '{}', '{}' from ${numbers}`.execute(db);
      await sql`insert into segments (id, project_id, document_id, block_id, ordinal, range_start, range_end, text, boundary, characters)
        select 's' || n, 'p', 'd', 'b' || n, n, 0, 4, 'One.', '{"kind":"sentence"}', 4 from ${numbers}`.execute(db);
      await sql`insert into wanted_takes (segment_id, ordinal, take_key, take_part, conversion_id)
        select 's' || n, 0, 'k' || n, 0, 'c' from ${numbers}`.execute(db);
      await sql`insert into takes (key, audio_key, sample_rate, length_samples, parts, checks, created_at)
        select 'k' || n, 'a' || n, 24000, 1, '[]', '{}', 0 from ${numbers}`.execute(db);
      await sql`insert into tasks (id, kind, project_id, conversion_id, document_id, lane, state, ordinal, take_key, payload, created_at)
        select 't' || n, 'speech', 'p', 'c', 'd', 'cpu', 'pending', n, 'k' || n, '{}', 0 from ${numbers}`.execute(db);
      await refreshStatistics(db, "import");
      await refreshStatistics(db, "planning");
    });
    afterAll(() => database.close());

    const of = { taskIds: ["t7", "t8"], takeKeys: [key(7), key(8), key(9)] };
    it.each<[string, (db: Db) => Promise<unknown>, unknown]>([
      ["finds the conversions that results touch", (db) => findTouchedConversions(db, of), ["c"]],
      [
        "locks the tasks that results touch",
        async (db) => (await lockTouchedTasks(db, { ...of, conversionIds: ["c"] })).map((task) => task.id),
        ["t7", "t8", "t9"],
      ],
      [
        "lists the documents of takes",
        (db) => listDocumentsOfTakes(db, of.takeKeys),
        [{ document_id: "d", conversion_id: "c" }],
      ],
      ["lists known takes", async (db) => (await listKnownTakes(db, of.takeKeys)).map((take) => take.key), of.takeKeys],
      ["deletes wanted takes", (db) => deleteWantedTakes(db, ["s1", "s2"]), undefined],
      ["deletes takes", (db) => deleteTakes(db, [key(1), key(2)]), undefined],
    ])("%s without reading a whole table", async (_what, work, answer) => {
      await database.transaction(async (trx) => {
        const before = await rowsScanned(trx);
        expect(await work(trx)).toEqual(answer);
        expect((await rowsScanned(trx)) - before).toBe(0);
      });
    });

    /** Rows that this transaction has read by going through whole tables, as PostgreSQL's own statistics count them. */
    async function rowsScanned(trx: Db): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select coalesce(sum(seq_tup_read), 0)::integer as n from pg_stat_xact_user_tables
        where relname in ('tasks', 'takes', 'wanted_takes', 'segments')`.execute(trx);
      return rows[0]?.n ?? -1;
    }
  });

import { AsyncResource } from "node:async_hooks";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isPassingDatabaseError } from "./availability.ts";
import type { DatabaseHandle, Db } from "./handle.ts";
import { appendEvents, insertProject, listEvents } from "./statements/index.ts";
import { clearDatabase, openTestDatabase, testDatabases } from "./testing.ts";

const project = {
  id: "p",
  ownerId: "ann",
  sourceId: "s",
  title: "T",
  digest: "d",
  fileName: "f",
  sizeBytes: 1,
  objectKey: "o",
  nowMs: 0,
};

for (const { kind, title, missing } of testDatabases)
  describe.skipIf(missing)(`a database handle on ${title}`, () => {
    let database: DatabaseHandle;
    beforeAll(async () => {
      database = await openTestDatabase(kind);
    });
    afterAll(() => database.close());
    afterEach(() => clearDatabase(database));

    it("undoes a transaction that throws", async () => {
      const failing = database.transaction(async (trx) => {
        await insertProject(trx, project);
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      const { rows } = await sql`select id from projects`.execute(database.db);
      expect(rows).toEqual([]);
    });

    it("refuses a statement beside its transaction instead of waiting for itself for ever", async () => {
      const stuck = database.transaction(() => sql`select 1`.execute(database.db));
      await expect(stuck).rejects.toMatchObject({ code: "internal" });
      // The connection has been given back.
      await sql`select 1`.execute(database.db);
    });

    it("reads bigint as a number and refuses what a number cannot hold", async () => {
      const read = (value: string) => sql<{ n: number }>`select ${value}::bigint as n`.execute(database.db);
      // 2^53 - 1, the largest integer below which every one is exact (ECMA-262, Number.MAX_SAFE_INTEGER).
      expect((await read("9007199254740991")).rows).toEqual([{ n: 9007199254740991 }]);
      await expect(read("9007199254740992")).rejects.toMatchObject({ code: "internal" });
    });

    it("gives events of a project ids in the order of commits, and says the project after the commit", async () => {
      await insertProject(database.db, project);
      const heard: (string | undefined)[] = [];
      const unlisten = await database.listen("katari_events", (payload) => heard.push(payload));
      const event = { type: "import", state: "ready" } as const;
      await database.transaction(async (trx) => {
        await appendEvents(trx, { projectId: "p", events: [event, event], nowMs: 7 });
        expect(heard).toEqual([]);
      });
      await appendEvents(database.db, { projectId: "p", events: [event], nowMs: 8 });
      const events = await listEvents(database.db, { projectId: "p", after: 1, limit: 10 });
      expect(events.map(({ id, atMs }) => [id, atMs])).toEqual([
        [2, 7],
        [3, 8],
      ]);
      await expect.poll(() => heard).toEqual(["p", "p"]);
      await unlisten();
    });

    it("reads one state of everything in a snapshot", async () => {
      // Runs where the test stands, not inside the transaction.
      const aside = new AsyncResource("aside");
      const count = async (db: Db) =>
        (await sql<{ n: number }>`select count(*) as n from projects`.execute(db)).rows[0]?.n;
      await database.snapshot(async (trx) => {
        expect(await count(trx)).toBe(0);
        // The embedded database has one session, so nobody can write beside it.
        if (kind === "postgresql") await aside.runInAsyncScope(() => insertProject(database.db, project));
        expect(await count(trx)).toBe(0);
      });
    });

    it("runs a transaction again that the database undid because of another", async () => {
      let runs = 0;
      const result = await database.transaction(async (trx) => {
        // What PostgreSQL says to the victim of a deadlock and of a serialization failure (its manual, appendix A).
        const code = [undefined, "40P01", "40001"][++runs];
        if (code !== undefined)
          await sql`do ${sql.raw(`$$ begin raise exception using errcode = '${code}'; end $$`)}`.execute(trx);
        await insertProject(trx, project);
        return runs;
      });
      expect(result).toBe(3);
      expect((await sql`select id from projects`.execute(database.db)).rows).toEqual([{ id: "p" }]);
    });

    it("gives up a transaction that is undone every time, and says that it may be tried again", async () => {
      const failing = database.transaction((trx) =>
        sql`do ${sql.raw(`$$ begin raise exception using errcode = '40001'; end $$`)}`.execute(trx),
      );
      const error = await failing.catch((thrown: unknown) => thrown);
      expect(isPassingDatabaseError(error)).toBe(true);
    });
  });

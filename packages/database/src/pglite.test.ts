import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { DatabaseHandle } from "./handle.ts";
import { openPglite } from "./pglite.ts";
import { clearDatabase, openTestDatabase } from "./testing.ts";

describe("PGlite", () => {
  let database: DatabaseHandle;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());
  afterEach(() => clearDatabase(database));

  it("runs transactions one after the other, each seeing what the one before left", async () => {
    await sql`insert into installation (key, value) values ('n', '0')`.execute(database.db);
    const raise = () =>
      database.transaction(async (trx) => {
        const { rows } = await sql<{ value: number }>`select value from installation where key = 'n'`.execute(trx);
        const next = JSON.stringify((rows[0]?.value ?? 0) + 1);
        await sql`update installation set value = ${next}::jsonb where key = 'n'`.execute(trx);
      });
    await Promise.all(Array.from({ length: 50 }, raise));
    const { rows } = await sql<{ value: number }>`select value from installation where key = 'n'`.execute(database.db);
    expect(rows).toEqual([{ value: 50 }]);
  });

  it("has every row that was acknowledged before a kill -9", async () => {
    const folder = await mkdtemp(join(tmpdir(), "katari-kill-"));
    try {
      const child = fork(fileURLToPath(new URL("./fixtures/insert-loop.mjs", import.meta.url)), [folder], {
        stdio: ["ignore", "pipe", "inherit", "ipc"],
      });
      const exited = once(child, "exit");
      if (child.stdout === null) throw new Error("no output");
      let acknowledged = -1;
      for await (const line of createInterface({ input: child.stdout })) {
        acknowledged = Math.max(acknowledged, Number(line));
        if (acknowledged === 40) child.kill("SIGKILL");
      }
      await exited;
      expect(acknowledged).toBeGreaterThanOrEqual(40);

      const reopened = await openPglite({ folder });
      const { rows } = await sql<{ n: number }>`select length_samples as n from takes order by n`.execute(reopened.db);
      // The one after the last may have been committed without being told.
      expect(rows.slice(0, acknowledged + 1).map((row) => row.n)).toEqual(
        Array.from({ length: acknowledged + 1 }, (_, n) => n),
      );
      expect(rows.length).toBeLessThanOrEqual(acknowledged + 2);
      await reopened.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

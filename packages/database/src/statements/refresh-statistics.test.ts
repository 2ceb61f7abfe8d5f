import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DatabaseHandle } from "../handle.ts";
import { openTestDatabase } from "../testing.ts";
import { refreshStatistics } from "./refresh-statistics.ts";

describe("statistics of the database", () => {
  let database: DatabaseHandle;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  it("are there for every filled table after a refresh", async () => {
    const takes = Array.from({ length: 300 }, (_, n) => ({ key: `k${n}`, audio_key: "a" }));
    await sql`
      insert into takes (key, audio_key, sample_rate, length_samples, parts, checks, created_at)
      select key, audio_key, 24000, 1, '[]', '{}', 0
      from jsonb_to_recordset(${JSON.stringify(takes)}::jsonb) as r(key text, audio_key text)`.execute(database.db);
    await refreshStatistics(database.db, "import");
    await refreshStatistics(database.db, "planning");
    const known = await sql<{ n_distinct: number }>`
      select n_distinct from pg_stats where tablename = 'takes' and attname = 'key'`.execute(database.db);
    // -1: every row has a value of its own.
    expect(known.rows).toEqual([{ n_distinct: -1 }]);
  });
});

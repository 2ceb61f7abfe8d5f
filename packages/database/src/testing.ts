import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { sql } from "kysely";
import type { DatabaseHandle } from "./handle.ts";
import { readMigrations } from "./migrate.ts";
import { openPglite, pgliteHandle, pgliteParsers } from "./pglite.ts";
import { connectPostgres } from "./postgres.ts";
import { startTestPostgres, whyNoPostgres } from "./testing/postgres-server.ts";

export { startTestPostgres, whyNoPostgres, type TestPostgres } from "./testing/postgres-server.ts";

type DatabaseKind = DatabaseHandle["kind"];

const missing = whyNoPostgres();

/** Both kinds, for tests that are to pass on each: `describe.skipIf(missing)` with the title, which then says why. */
export const testDatabases: readonly {
  readonly kind: DatabaseKind;
  readonly title: string;
  readonly missing: boolean;
}[] = [
  { kind: "pglite", title: "PGlite", missing: false },
  {
    kind: "postgresql",
    title: missing === undefined ? "PostgreSQL" : `PostgreSQL (${missing})`,
    missing: missing !== undefined,
  },
];

/**
 * A database for tests. PGlite in memory, made from a migrated template so that it starts in about a second; the
 * template is made once for each set of migrations and kept in the system's folder for temporary files. Or a PostgreSQL
 * of its own, which ends when the handle is closed. Without a kind it is the one that KATARI_TEST_DATABASE names, else
 * PGlite.
 */
export async function openTestDatabase(kind: DatabaseKind = wantedKind()): Promise<DatabaseHandle> {
  if (kind === "pglite") return openPglite({ template: await template() });
  const server = await startTestPostgres();
  const handle = await connectPostgres({ url: server.url(), applicationName: "katari test" });
  return {
    ...handle,
    async close() {
      await handle.close();
      await server.close();
    },
  };
}

const wantedKind = (): DatabaseKind => (process.env["KATARI_TEST_DATABASE"] === "postgresql" ? "postgresql" : "pglite");

/** Empties every table; for use between tests. */
export async function clearDatabase(database: DatabaseHandle): Promise<void> {
  await sql`truncate sources, projects, owner_clocks, takes, installation cascade`.execute(database.db);
}

async function template(): Promise<Blob> {
  const migrations = await readMigrations();
  const digest = createHash("sha256")
    .update(migrations.map((migration) => migration.statements).join("\0"))
    .digest("hex");
  const folder = join(tmpdir(), "katari-test-database");
  const path = join(folder, `${digest}.tar`);
  const kept = await readFile(path).catch(() => undefined);
  if (kept) return new Blob([new Uint8Array(kept)]);
  const pglite = await PGlite.create({ parsers: pgliteParsers });
  const handle = await pgliteHandle(pglite);
  const dump = await pglite.dumpDataDir("none");
  await handle.close();
  await mkdir(folder, { recursive: true });
  const partial = `${path}.${process.pid}`;
  await writeFile(partial, new Uint8Array(await dump.arrayBuffer()));
  await rename(partial, path);
  return dump;
}

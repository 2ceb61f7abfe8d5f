import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { sql } from "kysely";
import type { DatabaseHandle } from "./handle.ts";
import { readMigrations } from "./migrate.ts";
import { openPglite, pgliteHandle, pgliteParsers } from "./pglite.ts";

/**
 * A database in memory for tests, made from a migrated template so that it starts in about a second. The template is
 * made once for each set of migrations and kept in the system's folder for temporary files.
 */
export async function openTestDatabase(): Promise<DatabaseHandle> {
  return openPglite({ template: await template() });
}

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

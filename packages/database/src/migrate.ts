import { readdir, readFile } from "node:fs/promises";
import { AppError } from "@katari/core";
import { sql, type Kysely, type Transaction } from "kysely";
import type { Db } from "./handle.ts";
import type { Tables } from "./tables.ts";

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: string;
}

/** The numbered files lie beside `src` and `dist` alike. */
const folder = new URL("../migrations/", import.meta.url);

/** The migrations that this program knows, in order. Throws `internal` for a gap in the numbers. */
export async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const number = Number.parseInt(name, 10);
      if (number !== index + 1) throw new AppError("internal", `The migration ${name} is out of order.`);
      return { number, name, statements: await readFile(new URL(name, folder), "utf8") };
    }),
  );
}

/** Any number will do as long as nothing else in the database locks on it. */
const lockId = 7_201_900_001;

/**
 * Brings the database to the newest shape, in one transaction and under an advisory lock, so that several servers may
 * start at once. `run` executes a text of several statements, which prepared statements cannot. Throws `conflict` when
 * the database was made by a newer program.
 */
export async function migrate(
  db: Db,
  run: (trx: Transaction<Tables>, statements: string) => Promise<void>,
): Promise<void> {
  const known = await readMigrations();
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(lockId)})`.execute(trx);
    // Looked for first: "if not exists" asks for the right to create also where there is nothing to do.
    const { rows } = await sql<{ there: boolean }>`select to_regclass('migrations') is not null as there`.execute(trx);
    if (rows[0]?.there !== true)
      await sql`create table migrations (number integer primary key, name text not null)`.execute(trx);
    const applied = await appliedNumber(trx);
    if (applied > known.length)
      throw new AppError("conflict", "The data was written by a newer version of Katari.", {
        cure: "Use that version, or another data folder or database.",
      });
    for (const migration of known.slice(applied)) {
      await run(trx, migration.statements);
      await sql`insert into migrations (number, name) values (${migration.number}, ${migration.name})`.execute(trx);
    }
  });
}

async function appliedNumber(db: Kysely<Tables>): Promise<number> {
  const result = await sql<{ number: number }>`select coalesce(max(number), 0) as number from migrations`.execute(db);
  return result.rows[0]?.number ?? 0;
}

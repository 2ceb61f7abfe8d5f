import { PGlite, types, type PGliteInterface } from "@electric-sql/pglite";
import { AppError } from "@katari/core";
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import { parseBigInteger } from "./big-integer.ts";
import { createCluster } from "./create-cluster.ts";
import { refuseInsideTransaction, transactionsOf, type DatabaseHandle } from "./handle.ts";
import { migrate } from "./migrate.ts";
import type { Tables } from "./tables.ts";

export interface PgliteOptions {
  /** Folder of the database; made when it is missing. In memory when absent. The caller has locked it exclusively. */
  readonly folder?: string;
  /** A dump to start from instead of an empty database. */
  readonly template?: Blob;
}

export const pgliteParsers = { [types.INT8]: parseBigInteger };

/**
 * Opens PostgreSQL inside this process. One session serves everybody in turn: a connection is the right to use it,
 * handed on in the order of asking. Two processes on one folder lose rows without an error, so lock the folder first.
 * The first start makes the database and takes some seconds; after kill -9 the write-ahead log is replayed.
 */
export async function openPglite(options: PgliteOptions = {}): Promise<DatabaseHandle> {
  const pglite = await openFolder(options).catch((error: unknown) => {
    throw new AppError("unavailable", "The database in the data folder cannot be opened.", {
      // Takes lie in the object store and are found there by their keys, so a new database renders none of them again.
      cure: `Check that no other program uses the folder and that the disk has space. If it is damaged, move ${options.folder ?? "its folder"} away and run the same command again: the book is read anew, finished sentences are kept.`,
      cause: error,
    });
  });
  return pgliteHandle(pglite);
}

async function openFolder({ folder, template }: PgliteOptions): Promise<PGlite> {
  if (folder !== undefined) await createCluster(folder);
  return PGlite.create({
    ...(folder === undefined ? {} : { dataDir: folder }),
    ...(template === undefined ? {} : { loadDataDir: template }),
    parsers: pgliteParsers,
  });
}

/** The handle around an open PGlite, with migrations applied. */
export async function pgliteHandle(pglite: PGliteInterface): Promise<DatabaseHandle> {
  const turns = createTurns();
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: poolOf(pglite, turns) }) });
  await migrate(db, async (_trx, statements) => void (await pglite.exec(statements)));
  let closing: Promise<void> | undefined;
  return {
    kind: "pglite",
    db,
    ...transactionsOf(db),
    async listen(channel, handler) {
      const end = await turns.take(() => pglite.listen(channel, handler));
      return () => turns.take(() => end());
    },
    close() {
      closing ??= turns.take(() => pglite.close());
      return closing;
    },
  };
}

interface Turns {
  /** Waits for the turn; the answer hands it on. */
  acquire(): Promise<() => void>;
  take<T>(work: () => Promise<T>): Promise<T>;
}

function createTurns(): Turns {
  let last = Promise.resolve();
  const acquire = (): Promise<() => void> => {
    const before = last;
    let release: () => void = () => undefined;
    last = new Promise((resolve) => {
      release = resolve;
    });
    return before.then(() => release);
  };
  return {
    acquire,
    async take(work) {
      const release = await acquire();
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

/** What kysely's PostgreSQL dialect needs of a pool: one client at a time. */
function poolOf(pglite: PGliteInterface, turns: Turns): PostgresPool {
  return {
    async connect() {
      refuseInsideTransaction();
      const release = await turns.acquire();
      const query = async (text: string, parameters: readonly unknown[] = []): Promise<unknown> => {
        const result = await pglite.query<Record<string, unknown>>(text, [...parameters]);
        const command = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? "SELECT";
        return { command, rowCount: result.affectedRows ?? result.rows.length, rows: result.rows };
      };
      // Cursors, the other form of `query`, are never asked for.
      return { query: query as PostgresPoolClient["query"], release };
    },
    end: async () => undefined,
  };
}

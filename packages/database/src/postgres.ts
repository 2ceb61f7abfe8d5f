import { AppError } from "@katari/core";
import { CompiledQuery, Kysely, PostgresDialect, sql } from "kysely";
import { Client, Pool, types as pgTypes, type ClientConfig, type CustomTypesConfig, type PoolConfig } from "pg";
import { parseBigInteger } from "./big-integer.ts";
import { transactionsOf, type DatabaseHandle, type Unlisten } from "./handle.ts";
import { migrate } from "./migrate.ts";
import { checkServer, connectionFault, type PostgresPlace, type ServerFacts } from "./postgres-faults.ts";
import { listenTo } from "./postgres-listener.ts";
import { guardPool } from "./postgres-pool.ts";
import type { Tables } from "./tables.ts";

export interface PostgresOptions {
  /** `postgresql://user:password@host:port/database`, with libpq's `sslmode` and `sslrootcert` where wanted. */
  readonly url: string;
  /** Name of the setting that holds the address, for messages. */
  readonly setting?: string;
  /** Most connections of this process (one more listens). */
  readonly maxConnections?: number;
  /** How long a connection may take to be made, or to be free, before the caller gets `unavailable`. */
  readonly connectTimeoutMs?: number;
  /** After this time the server gives a statement up. */
  readonly statementTimeoutMs?: number;
  /** After this time of waiting for a lock, the server gives a statement up. */
  readonly lockTimeoutMs?: number;
  /** After this time without a statement, the server ends a transaction and its connection. */
  readonly idleInTransactionTimeoutMs?: number;
  /** What `pg_stat_activity` shows. */
  readonly applicationName?: string;
}

const defaults = {
  setting: "KATARI_DATABASE_URL",
  maxConnections: 10,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 60_000,
  lockTimeoutMs: 30_000,
  idleInTransactionTimeoutMs: 60_000,
  applicationName: "katari",
} as const;

/** How much longer than the server's own limit an answer may take: after that the way to it is broken. */
const answerMarginMs = 15_000;
/** The listening connection is asked this often whether it still stands. */
const pingMs = 30_000;

/** int8, by its object id in the system catalogue. */
const int8 = 20;
const types: CustomTypesConfig = {
  getTypeParser: (id: number, format?: "text" | "binary") =>
    id === int8 && format !== "binary"
      ? parseBigInteger
      : // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum names only the built-in types
        pgTypes.getTypeParser(id, format),
};

/**
 * Connects to PostgreSQL 15 or newer, checks what answers, and applies the migrations: several servers may start at
 * once, one does it and the others wait. Every failure is one line that names the setting: `invalid-argument` (no
 * address, not UTF-8), `unauthenticated`, `not-found` (no such database), `no-permission`, `unsupported-platform` (too
 * old), `conflict` (made by a newer Katari), `unavailable` (cannot be reached; `retryable`).
 */
export async function connectPostgres(options: PostgresOptions): Promise<DatabaseHandle> {
  const settings = { ...defaults, ...options };
  const place = placeOf(settings.url, settings.setting);
  const client: ClientConfig = {
    connectionString: settings.url,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    application_name: settings.applicationName,
    keepAlive: true,
  };
  await prepare(client, place);
  const { db, pool } = open(place, {
    ...client,
    max: settings.maxConnections,
    statement_timeout: settings.statementTimeoutMs,
    lock_timeout: settings.lockTimeoutMs,
    idle_in_transaction_session_timeout: settings.idleInTransactionTimeoutMs,
    query_timeout: settings.statementTimeoutMs + Math.min(settings.statementTimeoutMs, answerMarginMs),
  });
  try {
    // What stands in between may refuse the limits, which the connection before did not ask for.
    (await pool.connect()).release();
  } catch (error) {
    await pool.end();
    throw connectionFault(error, place);
  }
  const listeners = new Set<Unlisten>();
  let closing: Promise<void> | undefined;
  return {
    kind: "postgresql",
    db,
    ...transactionsOf(db),
    async listen(channel, handler) {
      const listening = { ...client, query_timeout: answerMarginMs };
      const end = await listenTo(listening, channel, handler, { pingMs }).catch((error: unknown) => {
        throw connectionFault(error, place);
      });
      listeners.add(end);
      return async () => {
        if (listeners.delete(end)) await end();
      };
    },
    close() {
      closing ??= (async () => {
        await Promise.all([...listeners].map((end) => end()));
        listeners.clear();
        await pool.end();
      })();
      return closing;
    },
  };
}

/** Checks the server and migrates, over one connection without time limits: a migration may take long, or wait. */
async function prepare(client: ClientConfig, place: PostgresPlace): Promise<void> {
  const { db, pool } = open(place, { ...client, max: 1 });
  try {
    // Asked of the driver itself, so that its error is told as it is.
    (await pool.connect()).release();
    const { rows } = await sql<ServerFacts>`
      select current_setting('server_version_num')::integer as version, current_setting('server_encoding') as encoding,
        pg_is_in_recovery() as standby`.execute(db);
    const [facts] = rows;
    if (facts !== undefined) checkServer(facts, place);
    await migrate(db, async (trx, statements) => void (await trx.executeQuery(CompiledQuery.raw(statements))));
  } catch (error) {
    throw connectionFault(
      error instanceof AppError && error.code === "unavailable" ? (error.cause ?? error) : error,
      place,
    );
  } finally {
    await pool.end();
  }
}

function open(place: PostgresPlace, config: PoolConfig): { db: Kysely<Tables>; pool: Pool } {
  const pool = new Pool({ ...config, types });
  return { pool, db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: guardPool(pool, place) }) }) };
}

/** Where an address leads, as the driver reads it. Throws `invalid-argument`, without the address: it has a password. */
function placeOf(url: string, setting: string): PostgresPlace {
  try {
    if (!/^postgres(?:ql)?:\/\//.test(url)) throw new TypeError("another scheme");
    const { host, port, user, database } = new Client({ connectionString: url });
    return { setting, host, port, user: user ?? "", database: database ?? "" };
  } catch (error) {
    const path = (error as { path?: unknown }).path;
    if (typeof path === "string")
      throw new AppError("not-found", `${setting} names the file ${path}, which cannot be read.`, {
        cure: "Check its path and that this user may read it.",
        cause: error,
      });
    throw new AppError("invalid-argument", `${setting} is not an address of PostgreSQL.`, {
      cure: "Write it as postgresql://user:password@host:5432/database, with signs such as @ or / in the password as %40 or %2F.",
    });
  }
}

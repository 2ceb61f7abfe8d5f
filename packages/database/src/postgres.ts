import { AppError } from "@katari/core";
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import { Client, escapeIdentifier, Pool, types as pgTypes, type CustomTypesConfig } from "pg";
import { parseBigInteger } from "./big-integer.ts";
import { refuseInsideTransaction, transactionsOf, type DatabaseHandle, type Unlisten } from "./handle.ts";
import { migrate } from "./migrate.ts";
import type { Tables } from "./tables.ts";

export interface PostgresOptions {
  /** `postgresql://user:password@host:port/database`. */
  readonly url: string;
  readonly maxConnections?: number;
}

/** int8, by its object id in the system catalogue. */
const int8 = 20;
const types: CustomTypesConfig = {
  getTypeParser: (id: number, format?: "text" | "binary") =>
    id === int8 && format !== "binary"
      ? parseBigInteger
      : // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum names only the built-in types
        pgTypes.getTypeParser(id, format),
};

/** Connects to PostgreSQL 15 or newer and applies the migrations. Throws `unavailable` when it does not answer. */
export async function connectPostgres(options: PostgresOptions): Promise<DatabaseHandle> {
  const pool = new Pool({ connectionString: options.url, max: options.maxConnections ?? 10, types });
  // An idle connection that breaks is replaced by the next use; without a listener it would end the process.
  pool.on("error", () => undefined);
  const connect = pool.connect.bind(pool);
  const guarded = {
    connect: async () => {
      refuseInsideTransaction();
      return connect();
    },
    end: () => pool.end(),
  };
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: guarded }) });
  try {
    await migrate(db, async (trx, statements) => void (await trx.executeQuery(CompiledQuery.raw(statements))));
  } catch (error) {
    await pool.end();
    if (error instanceof AppError) throw error;
    throw new AppError("unavailable", "The database does not answer.", {
      cure: "Check its address and that it runs.",
      retryable: true,
      cause: error,
    });
  }
  const listeners = new Set<Unlisten>();
  return {
    kind: "postgresql",
    db,
    ...transactionsOf(db),
    async listen(channel, handler) {
      const end = await listenTo(options.url, channel, handler);
      listeners.add(end);
      return async () => {
        listeners.delete(end);
        await end();
      };
    },
    async close() {
      await Promise.all([...listeners].map((end) => end()));
      listeners.clear();
      if (!pool.ended && !pool.ending) await pool.end();
    },
  };
}

const reconnectMs = 1_000;

/** LISTEN belongs to a connection, so it has one of its own; when that breaks, a new one is made and told as a gap. */
async function listenTo(
  url: string,
  channel: string,
  handler: (payload: string | undefined) => void,
): Promise<Unlisten> {
  let ended = false;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  const open = async (): Promise<void> => {
    const next = new Client({ connectionString: url });
    next.on("notification", (message) => handler(message.payload));
    next.on("error", () => undefined);
    next.on("end", () => again());
    await next.connect();
    await next.query(`listen ${escapeIdentifier(channel)}`);
    client = next;
  };
  const again = (): void => {
    if (ended || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      open().then(
        () => handler(undefined),
        () => again(),
      );
    }, reconnectMs);
  };
  await open();
  return async () => {
    ended = true;
    clearTimeout(timer);
    await client?.end();
  };
}

import { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "@katari/core";
import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/** What every statement takes: the database or a transaction of it. */
export type Db = Kysely<Tables>;

/** Ends a subscription. */
export type Unlisten = () => Promise<void>;

/**
 * An open database with all migrations applied.
 *
 * `transaction` runs at READ COMMITTED, `snapshot` reads one state of the whole database (REPEATABLE READ, read only).
 * Inside either, nothing but the given `trx` may be awaited; using `db` there throws `internal` at once, where PGlite
 * would otherwise wait for itself for ever. A deadlock or serialization failure is retried by the caller, whose
 * callback must therefore be free of other effects.
 */
export interface DatabaseHandle {
  readonly kind: "pglite" | "postgresql";
  readonly db: Db;
  transaction<T>(work: (trx: Transaction<Tables>) => Promise<T>): Promise<T>;
  snapshot<T>(work: (trx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * Calls back with the payload of each NOTIFY on the channel, and with `undefined` when some may have been missed.
   * At most once for each; several servers on one PostgreSQL all hear it.
   */
  listen(channel: string, handler: (payload: string | undefined) => void): Promise<Unlisten>;
  /** Waits for what runs, then closes. Calling it again does nothing. */
  close(): Promise<void>;
}

const inTransaction = new AsyncLocalStorage<boolean>();

/** Throws when the caller already stands in a transaction: the next connection would never be free. */
export function refuseInsideTransaction(): void {
  if (inTransaction.getStore() === true)
    throw new AppError("internal", "A statement ran beside the transaction that it belongs to.");
}

/** The two ways of `DatabaseHandle` to run several statements as one. */
export function transactionsOf(db: Db): Pick<DatabaseHandle, "transaction" | "snapshot"> {
  return {
    transaction: (work) => db.transaction().execute((trx) => inTransaction.run(true, () => work(trx))),
    snapshot: (work) =>
      db
        .transaction()
        .setIsolationLevel("repeatable read")
        .setAccessMode("read only")
        .execute((trx) => inTransaction.run(true, () => work(trx))),
  };
}

import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@katari/core";
import type { Kysely, Transaction } from "kysely";
import { isTransactionConflict } from "./availability.ts";
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
 * would otherwise wait for itself for ever. A transaction that the database undid because of a deadlock or a
 * serialization failure is run again from its start, at most five times, so the callback must be free of other effects.
 *
 * The order of locks, for every transaction on every server. Whoever needs several takes them from the top down, and
 * rows of one table in the order of their ids (takes: of their keys), so that nobody waits in a circle:
 *
 * 1. advisory locks: the migration's, or one lane's (only dispatchers, one lane at a time)
 * 2. `conversions` (lockConversions): before any of its tasks or counts is changed, but for claiming
 * 3. `tasks` (lockTouchedTasks, cancelPendingTasks, retryFailedTasks). Claiming, raising priorities and holding leases
 *    pass over locked rows (`skip locked`), so they wait for nobody and need no lock above
 * 4. `takes` (deleteTakes, insertTakes)
 * 5. `documents` (lockDocuments): before their counts or the rows of their segments (spoken forms, wanted takes) change
 * 6. `exports`, each under the lock of its only task
 * 7. `projects` (setImportOutcome, appendEvents), in the order of project ids and last of all: the row is held from the
 *    drawing of the event ids to the commit
 *
 * New rows lock what they refer to only against deletion (`for key share`), which no change of a project's columns
 * conflicts with. Deleting a project's rows follows no order: it is one statement at a time, undone and tried again by
 * the sweeper when it is chosen as a deadlock's victim.
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
    transaction: (work) =>
      untilUndisturbed(() => db.transaction().execute((trx) => inTransaction.run(true, () => work(trx)))),
    snapshot: (work) =>
      untilUndisturbed(() =>
        db
          .transaction()
          .setIsolationLevel("repeatable read")
          .setAccessMode("read only")
          .execute((trx) => inTransaction.run(true, () => work(trx))),
      ),
  };
}

const mostRuns = 5;
const firstPauseMs = 10;

/** Runs a transaction again that met another, after a pause of random length, so that the two do not meet again. */
async function untilUndisturbed<T>(run: () => Promise<T>): Promise<T> {
  for (let runs = 1; ; runs++) {
    try {
      return await run();
    } catch (error) {
      if (runs === mostRuns || !isTransactionConflict(error)) throw error;
    }
    await sleep(Math.random() * firstPauseMs * 2 ** runs);
  }
}

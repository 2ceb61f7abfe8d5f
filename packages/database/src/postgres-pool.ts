import type { PostgresPool, PostgresPoolClient } from "kysely";
import type { Pool } from "pg";
import { AppError } from "@katari/core";
import { databaseCode, isPassingDatabaseError, isTransactionConflict } from "./availability.ts";
import { refuseInsideTransaction } from "./handle.ts";
import { connectionFault, type PostgresPlace } from "./postgres-faults.ts";

const readTimeout = /Query read timeout/;

/**
 * What kysely takes connections from. Errors that pass come out as `unavailable` for people, with the driver's as
 * cause. A connection that did not answer in time is closed instead of being given to the next: the driver would keep
 * waiting on it for the old answer.
 */
export function guardPool(pool: Pool, place: PostgresPlace): PostgresPool {
  // Without a listener, a connection that breaks would end the process: the pool listens only to idle ones, so one that
  // breaks between two statements of a transaction has to be heard here. The next statement on it says so to its caller.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return {
    async connect() {
      refuseInsideTransaction();
      const client = await pool.connect().catch((error: unknown) => {
        const { message, cure = "" } = connectionFault(error, place);
        throw new AppError("unavailable", message, { cure, retryable: true, cause: error });
      });
      let silent = false;
      const query = async (text: string, parameters: readonly unknown[] = []): Promise<unknown> => {
        if (silent) throw unavailable(new Error("Connection terminated: it did not answer"), place);
        try {
          return await client.query(text, [...parameters]);
        } catch (error) {
          silent ||= error instanceof Error && readTimeout.test(error.message);
          throw isPassingDatabaseError(error) ? unavailable(error, place) : error;
        }
      };
      // Cursors, the other form of `query`, are never asked for.
      return { query: query as PostgresPoolClient["query"], release: () => client.release(silent) };
    },
    end: () => pool.end(),
  };
}

function unavailable(error: unknown, place: PostgresPlace): AppError {
  if (isTransactionConflict(error))
    return new AppError("unavailable", "Two changes met in the database.", {
      cure: "Try again.",
      retryable: true,
      cause: error,
    });
  const code = databaseCode(error) ?? "";
  if (code === "57014" || code === "55P03")
    return new AppError("unavailable", "The database is too busy.", {
      cure: "Try again in a moment; if it stays, give PostgreSQL more room.",
      retryable: true,
      cause: error,
    });
  if (code === "53100")
    return new AppError("unavailable", "The disk of PostgreSQL is full.", {
      cure: "Free some space there; nothing is lost, and the work goes on by itself.",
      retryable: true,
      cause: error,
    });
  const { message, cure = "" } = connectionFault(error, place);
  return new AppError("unavailable", message, { cure, retryable: true, cause: error });
}

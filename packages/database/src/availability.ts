import { AppError } from "@katari/core";

/**
 * SQLSTATE classes and codes that say "not now" (PostgreSQL's manual, appendix A): connection lost, resources, shutting
 * down, conflicts and time limits, a standby that took over nothing yet, and what an administrator is about to change
 * back: password, database, rights. A result or a page of planning waits for all of these instead of failing.
 */
const passing = /^(?:08|28|53|57P|40001|40P01|55P03|57014|25P03|25006|3D000|42501)/;
const conflict = /^(?:40001|40P01)$/;
const network = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EHOSTUNREACH", "EAI_AGAIN"]);
/** The driver's own errors have no code. */
const driver =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered|Client was closed|Query read timeout/;

/** The error of the driver, also when it was wrapped for people. */
function originOf(error: unknown): Error | undefined {
  const origin = error instanceof AppError ? error.cause : error;
  return origin instanceof Error && !(origin instanceof AppError) ? origin : undefined;
}

/** The SQLSTATE or system error code of a failed statement or connection. */
export function databaseCode(error: unknown): string | undefined {
  const code = (originOf(error) as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Whether the same statement may succeed later: the database is away, overloaded, or two transactions met. */
export function isPassingDatabaseError(error: unknown): boolean {
  const origin = originOf(error);
  if (origin === undefined) return false;
  const code = databaseCode(origin);
  return (code !== undefined && (passing.test(code) || network.has(code))) || driver.test(origin.message);
}

/** Whether the database undid a transaction because another was in its way: a deadlock, or a serialization failure. */
export function isTransactionConflict(error: unknown): boolean {
  return conflict.test(databaseCode(error) ?? "");
}

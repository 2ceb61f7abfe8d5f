/** SQLSTATE classes and codes that say "not now": connection lost, resources, shutting down, conflicts to be retried. */
const passing = /^(?:08|53|57P|40001|40P01|55P03)/;
const network = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EHOSTUNREACH", "EAI_AGAIN"]);

/** Whether the same statement may succeed later: the database is away, overloaded, or two transactions met. */
export function isPassingDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string" && (passing.test(code) || network.has(code))) return true;
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered/.test(error.message);
}

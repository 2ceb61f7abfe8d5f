import { AppError } from "@katari/core";
import { exitCodes } from "./exit-codes.ts";

/**
 * Says on stderr what went wrong and what to do, or prints `{"error":{"code","message","cure"}}` on stdout with
 * `--json`, and returns the exit code. The private cause of an unexpected error goes to stderr as well.
 */
export function reportError(value: unknown, options: { json: boolean }): number {
  const error = AppError.from(value);
  if (options.json) {
    const { code, message, cure } = error;
    process.stdout.write(`${JSON.stringify({ error: { code, message, ...(cure === undefined ? {} : { cure }) } })}\n`);
  } else {
    process.stderr.write(`Error: ${error.message}\n`);
    if (error.cure !== undefined) process.stderr.write(`${error.cure}\n`);
  }
  if (error.code === "internal" && error.cause !== undefined)
    process.stderr.write(`${error.cause instanceof Error ? error.cause.stack : String(error.cause)}\n`);
  return exitCodes[error.code];
}

import { AppError } from "@katari/core";
import { inspect } from "node:util";
import { asTyped } from "./as-typed.ts";
import { exitCodes } from "./exit-codes.ts";

/**
 * Says on stderr what went wrong and what to do, or prints `{"error":{"code","message","cure"}}` on stdout with
 * `--json`, and returns the exit code. The private cause of an unexpected error goes to stderr as well.
 */
export function reportError(
  value: unknown,
  options: { json: boolean; environment: Readonly<Record<string, string | undefined>> },
): number {
  const error = AppError.from(value);
  const message = asTyped(error.message, options.environment);
  const cure = error.cure === undefined ? undefined : asTyped(error.cure, options.environment);
  if (options.json) {
    const { code } = error;
    process.stdout.write(`${JSON.stringify({ error: { code, message, ...(cure === undefined ? {} : { cure }) } })}\n`);
  } else {
    process.stderr.write(`Error: ${message}\n`);
    if (cure !== undefined) process.stderr.write(`${cure}\n`);
  }
  if (error.code === "internal" && error.cause !== undefined) process.stderr.write(`${inspect(error.cause)}\n`);
  return exitCodes[error.code];
}

import type { AppError, ErrorCode } from "@katari/core";
import type { Outcome } from "./messages.ts";

/** Time before a task with such an error is tried again, in milliseconds; others wait `usualWaitMs`. */
const waitsMs: Partial<Record<ErrorCode, number>> = {
  // The model server starts, drains or is full: worth asking again soon.
  unavailable: 2_000,
  "model-unavailable": 2_000,
  // Whatever took too long is likely to be busy still.
  timeout: 10_000,
  // The same model may do better at once.
  "audio-suspect": 0,
};
const usualWaitMs = 5_000;

/**
 * What becomes of a task whose work ended with this error: `cancelled` for the caller's own wish, `retry` when the
 * same work may succeed later by itself, else `failed` with what the person can do about it.
 */
export function outcomeOf(error: AppError): Outcome {
  if (error.code === "cancelled") return { kind: "cancelled" };
  if (error.retryable)
    return { kind: "retry", afterMs: waitsMs[error.code] ?? usualWaitMs, code: error.code, reason: error.message };
  const { code, message, cure } = error;
  return { kind: "failed", code, message, ...(cure === undefined ? {} : { cure }) };
}

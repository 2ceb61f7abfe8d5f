import { AppError, type ErrorCode } from "@katari/core";
import type { Problem } from "@katari/contracts";

/** The HTTP status of every error code. Nothing else in the door chooses a status for an error. */
const statusOfCode: Readonly<Record<ErrorCode, number>> = {
  "invalid-argument": 400,
  unauthenticated: 401,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  incomplete: 409,
  "output-exists": 409,
  "voice-unavailable": 409,
  "too-large": 413,
  "unsupported-format": 415,
  "encrypted-source": 422,
  "empty-source": 422,
  "damaged-source": 422,
  "unknown-voice": 422,
  "in-use": 423,
  // Not in a standard; the client has gone and sees nothing of it. It only stands in logs and metrics.
  cancelled: 499,
  internal: 500,
  "voice-damaged": 500,
  "no-permission": 500,
  "port-taken": 500,
  "audio-suspect": 500,
  "unsupported-platform": 501,
  "model-failed": 502,
  unavailable: 503,
  "model-unavailable": 503,
  "no-network": 503,
  timeout: 504,
  "disk-full": 507,
};

const titles: Readonly<Record<ErrorCode, string>> = {
  "invalid-argument": "The request is not valid",
  unauthenticated: "Not signed in",
  forbidden: "Not allowed",
  "not-found": "Not found",
  conflict: "Not possible in this state",
  incomplete: "Something is missing",
  "output-exists": "The output exists",
  "voice-unavailable": "The voice is not available",
  "too-large": "Too large",
  "unsupported-format": "The format is not supported",
  "encrypted-source": "The source is encrypted",
  "empty-source": "The source has no text",
  "damaged-source": "The source is damaged",
  "unknown-voice": "Unknown voice",
  "in-use": "In use",
  cancelled: "Cancelled",
  internal: "Something unexpected went wrong",
  "voice-damaged": "The voice is damaged",
  "no-permission": "The server has no permission",
  "port-taken": "The port is taken",
  "audio-suspect": "The sound did not pass the checks",
  "unsupported-platform": "Not supported on this platform",
  "model-failed": "The model failed",
  unavailable: "Not available at the moment",
  "model-unavailable": "The model is not available",
  "no-network": "No network",
  timeout: "The time limit was reached",
  "disk-full": "The disk is full",
};

export const problemMediaType = "application/problem+json";

/** What a thrown value that is no AppError may become without telling about insides (paths, statements). */
const tellable: ReadonlySet<ErrorCode> = new Set(["disk-full", "timeout", "cancelled"]);

/**
 * Turns anything that was thrown into an AppError that may be shown: errors of the HTTP framework keep their meaning,
 * whatever is not known becomes `internal` without a word of what was inside.
 */
export function toPublicError(value: unknown): AppError {
  if (value instanceof AppError) return value.code === "internal" ? AppError.from({ hidden: value }) : value;
  const { statusCode } = (value ?? {}) as { statusCode?: unknown };
  if (value instanceof Error && typeof statusCode === "number" && statusCode >= 400 && statusCode < 500)
    return ofFramework(value, statusCode);
  const error = AppError.from(value);
  return tellable.has(error.code) ? error : AppError.from({ hidden: value });
}

function ofFramework(cause: Error, status: number): AppError {
  switch (status) {
    case 404:
      return new AppError("not-found", "There is no such page.", { cure: "Check the address.", cause });
    case 413:
      return new AppError("too-large", "The request is too large.", { cure: "Send less at once.", cause });
    case 415:
      return new AppError("unsupported-format", "The request has a content type that this route does not take.", {
        cure: "Send `application/json`, or `application/octet-stream` for a file.",
        cause,
      });
    default:
      return new AppError("invalid-argument", "The request cannot be read.", {
        cure: "Check it against the API's description.",
        cause,
      });
  }
}

/**
 * Problem details of an error as RFC 9457 has them, with Katari's `code` and `cure`. Private causes stay out; so do
 * the details of `internal` errors, whose messages may speak of insides.
 */
export function problemOf(error: AppError): Problem & { details?: AppError["details"] } {
  return {
    type: `urn:katari:problem:${error.code}`,
    title: titles[error.code],
    status: statusOfCode[error.code],
    detail: error.message,
    code: error.code,
    ...(error.cure === undefined ? {} : { cure: error.cure }),
    ...(error.details === undefined ? {} : { details: error.details }),
  };
}

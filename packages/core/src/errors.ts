/**
 * The closed list of error codes. `docs/cli.md` has the exit code of each, `apps/server/src/http/problem.ts` the HTTP
 * status, `packages/contracts/src/outcome.ts` what becomes of a task.
 */
export const errorCodes = [
  "invalid-argument",
  "not-found",
  "unsupported-format",
  "encrypted-source",
  "empty-source",
  "damaged-source",
  "too-large",
  "unknown-voice",
  "voice-unavailable",
  "voice-damaged",
  "output-exists",
  "no-permission",
  "disk-full",
  "in-use",
  "port-taken",
  "no-network",
  "unsupported-platform",
  "conflict",
  "unauthenticated",
  "forbidden",
  "incomplete",
  "model-unavailable",
  "model-failed",
  "audio-suspect",
  "timeout",
  "cancelled",
  "unavailable",
  "internal",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export interface AppErrorOptions {
  /** What the person can do about it, as one sentence. */
  readonly cure?: string;
  /** Whether the same attempt may succeed later without anybody changing anything. */
  readonly retryable?: boolean;
  /** For logs only; never sent to anybody. */
  readonly cause?: unknown;
  /** Facts for programs (a path, a limit); sent along. */
  readonly details?: Readonly<Record<string, string | number | boolean>>;
}

/** The one error of the product. `message` is public and says what is wrong; `cure` says what to do. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly cure: string | undefined;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, string | number | boolean>> | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.cure = options.cure;
    this.retryable = options.retryable ?? false;
    this.details = options.details;
  }

  /** Turns any thrown value into an AppError; what is not known becomes `internal` with the value as cause. */
  static from(value: unknown): AppError {
    if (value instanceof AppError) return value;
    if (value instanceof Error) {
      const system = systemErrors[(value as { code?: string }).code ?? ""];
      if (system) return new AppError(system.code, system.message(value), { cure: system.cure, cause: value });
      if (value.name === "AbortError") return new AppError("cancelled", "The work was cancelled.", { cause: value });
      if (value.name === "TimeoutError")
        return new AppError("timeout", "The time limit was reached.", { retryable: true, cause: value });
    }
    return new AppError("internal", "Something unexpected went wrong.", {
      cure: "Run the same command again; if it stays, report it with everything that was printed.",
      cause: value,
    });
  }
}

const pathOf = (error: Error): string => (error as { path?: string }).path ?? "a file";
const systemErrors: Readonly<
  Record<string, { code: ErrorCode; message: (error: Error) => string; cure: string } | undefined>
> = {
  ENOSPC: {
    code: "disk-full",
    message: () => "The disk is full.",
    cure: "Free some space, then run the same command again: it goes on where it was.",
  },
  EDQUOT: {
    code: "disk-full",
    message: () => "The disk quota is used up.",
    cure: "Free some space, then run the same command again: it goes on where it was.",
  },
  EACCES: {
    code: "no-permission",
    message: (error) => `No permission for ${pathOf(error)}.`,
    cure: "Choose another folder, or give yourself write access to this one.",
  },
  EPERM: {
    code: "no-permission",
    message: (error) => `No permission for ${pathOf(error)}.`,
    cure: "Choose another folder, or give yourself write access to this one.",
  },
  EROFS: {
    code: "no-permission",
    message: (error) => `${pathOf(error)} is on a read-only file system.`,
    cure: "Choose another folder.",
  },
  ENOENT: {
    code: "not-found",
    message: (error) => ("path" in error ? `There is no file or folder ${pathOf(error)}.` : "A file is missing."),
    cure: "Check the path.",
  },
  EADDRINUSE: {
    code: "port-taken",
    message: () => "The port is taken by another program.",
    cure: "Choose another with --port, or end the other program.",
  },
};

/** Marks a branch that the types say cannot be reached. */
export function assertNever(value: never): never {
  throw new AppError("internal", `Unexpected value: ${JSON.stringify(value)}`);
}

import { AppError, type AppErrorOptions, type ErrorCode } from "@katari/core";

/** The codes that an inference can fail with. */
export type InferenceErrorCode = Extract<
  ErrorCode,
  "invalid-argument" | "too-large" | "model-unavailable" | "model-failed" | "timeout" | "cancelled" | "unavailable"
>;

export interface InferenceErrorOptions extends AppErrorOptions {
  /** Whether the model may have run for this request; false only when that is certain. */
  readonly mayHaveRun: boolean;
}

/**
 * What every ModelServer fails with.
 *
 * | code                | retryable | meaning                                                            |
 * |---------------------|-----------|--------------------------------------------------------------------|
 * | `invalid-argument`  | no        | the tensors do not fit the model                                   |
 * | `too-large`         | no        | request or answer exceeds a size limit                             |
 * | `model-unavailable` | yes       | this model and version is not there (yet), or another one answered |
 * | `model-failed`      | it says   | the model ran and failed, or its process died                      |
 * | `timeout`           | yes       | the deadline passed before or during the run                       |
 * | `cancelled`         | no        | the caller's signal                                                |
 * | `unavailable`       | yes       | server away, draining, or its queue is full                        |
 */
export class InferenceError extends AppError {
  readonly mayHaveRun: boolean;

  constructor(code: InferenceErrorCode, message: string, options: InferenceErrorOptions) {
    super(code, message, options);
    this.mayHaveRun = options.mayHaveRun;
  }

  /** Turns any thrown value into an InferenceError; what is not known becomes `model-failed`. */
  static override from(value: unknown): InferenceError {
    if (value instanceof InferenceError) return value;
    const known = AppError.from(value);
    const code = inferenceCodes.find((candidate) => candidate === known.code) ?? "model-failed";
    return new InferenceError(code, known.message, {
      retryable: known.retryable,
      mayHaveRun: true,
      cause: value,
      ...(known.cure === undefined ? {} : { cure: known.cure }),
    });
  }
}

/** All codes of InferenceError, for checking a value that came over the wire. */
export const inferenceCodes: readonly InferenceErrorCode[] = [
  "invalid-argument",
  "too-large",
  "model-unavailable",
  "model-failed",
  "timeout",
  "cancelled",
  "unavailable",
];

import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { InferenceError } from "@katari/inference";
import type { ErrorBody } from "@katari/inference/kserve";
import { AppError, type ErrorCode } from "@katari/core";
import type { Logger } from "../../logger.ts";

/** HTTP status of each code, as Triton has it where Triton has one; 504, 413 and 403 are more exact than its 503 and 400. */
const statusOf: Readonly<Partial<Record<ErrorCode, number>>> = {
  "invalid-argument": 400,
  cancelled: 400,
  forbidden: 403,
  "not-found": 404,
  "model-unavailable": 404,
  "too-large": 413,
  unavailable: 503,
  timeout: 504,
};

/** Answers every error as `{"error": …}`, with Katari's own facts beside it. */
export function errorAnswer(logger: Logger) {
  return async (error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const known = fastifyError(error) ?? AppError.from(error);
    const status = statusOf[known.code] ?? 500;
    if (status === 500) logger.error({ err: error, url: request.url }, "a request failed");
    const retryAfterMs = known.details?.["retryAfterMs"];
    if (status === 503) reply.header("retry-after", Math.max(1, Math.ceil(Number(retryAfterMs ?? 1000) / 1000)));
    const body: ErrorBody = {
      error: known.message,
      code: known.code,
      retryable: known.retryable,
      may_have_run: known instanceof InferenceError ? known.mayHaveRun : false,
    };
    await reply.status(status).send(body);
  };
}

/** What Fastify itself refuses. */
function fastifyError(error: FastifyError): AppError | undefined {
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new AppError("too-large", "The request is larger than the server takes.", {
      cure: "Send less at once, or raise the server's limit.",
    });
  if (typeof error.statusCode === "number" && error.statusCode < 500)
    return new AppError("invalid-argument", error.message, { cause: error });
  return undefined;
}

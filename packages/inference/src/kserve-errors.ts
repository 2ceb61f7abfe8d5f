import { inferenceCodes, InferenceError } from "./inference-error.ts";
import { errorBodySchema } from "./kserve/shapes.ts";

const awayCure = "Check that the model server runs and that its address is right; `katari doctor` tells.";

/** What a status other than 200 means. Codes go first, since messages change between releases of a server. */
export function answerError(status: number, body: Buffer, subject: string): InferenceError {
  const parsed = errorBodySchema.safeParse(parseJson(body));
  const said = parsed.success ? parsed.data.error : `HTTP status ${status}`;
  const code = parsed.success ? inferenceCodes.find((candidate) => candidate === parsed.data.code) : undefined;
  if (parsed.success && code)
    return new InferenceError(code, said, {
      retryable: parsed.data.retryable ?? false,
      mayHaveRun: parsed.data.may_have_run ?? true,
    });
  const message = `The model server refused ${subject}: ${said}`;
  switch (status) {
    case 400:
      return new InferenceError("invalid-argument", message, { mayHaveRun: false });
    case 404:
      return new InferenceError("model-unavailable", message, { retryable: true, mayHaveRun: false });
    case 413:
      return new InferenceError("too-large", message, { mayHaveRun: false });
    case 429:
    case 502:
    case 503:
      // 502 comes from a proxy that lost the server behind it, perhaps in the middle of the run.
      return new InferenceError("unavailable", message, { retryable: true, mayHaveRun: status === 502 });
    case 408:
    case 504:
      return new InferenceError("timeout", message, { retryable: true, mayHaveRun: true });
    default:
      return new InferenceError("model-failed", message, { retryable: status === 500, mayHaveRun: true });
  }
}

/** What an exception of the HTTP client means. */
export function transportError(
  error: unknown,
  facts: { readonly base: URL; readonly cancelled: boolean; readonly expired: boolean },
): InferenceError {
  if (error instanceof InferenceError) return error;
  if (facts.cancelled)
    return new InferenceError("cancelled", "The inference was cancelled.", { mayHaveRun: true, cause: error });
  if (facts.expired)
    return new InferenceError("timeout", "The model server did not answer in time.", {
      retryable: true,
      mayHaveRun: true,
      cause: error,
    });
  const code = error instanceof Error ? ((error as { code?: string }).code ?? "") : "";
  const neverSent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_DESTROYED"];
  return new InferenceError("unavailable", `The model server at ${facts.base.origin} does not answer.`, {
    cure: awayCure,
    retryable: true,
    mayHaveRun: !neverSent.includes(code),
    cause: error,
  });
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

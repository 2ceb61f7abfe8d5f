import { Pool, type Dispatcher } from "undici";
import type { Tensor } from "@katari/contracts";
import { InferenceError } from "./inference-error.ts";
import type { InferOptions, Inference, ModelDescription, ModelServer } from "./model-server.ts";
import { answerError, transportError } from "./kserve-errors.ts";
import { decodeInferResponse, encodeInferRequest, headerLengthName } from "./kserve/infer-codec.ts";
import { modelMetadataSchema } from "./kserve/shapes.ts";

export interface KserveHttpOptions {
  /** Base URL of the server, such as `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Connections kept open at most; requests beyond them wait here. */
  readonly connections?: number;
  /** Largest answer that is taken. */
  readonly maxResponseBytes?: number;
  /** Time that health and metadata may take. */
  readonly probeTimeoutMs?: number;
}

/** Time that the server gets beyond the deadline to say itself what became of the request. */
const graceMs = 250;

/**
 * ModelServer over KServe v2 HTTP (Katari's own server, Triton, MLServer, KServe), binary tensors both ways,
 * connections reused. The deadline travels as the request parameter `timeout` (microseconds) and urgency as
 * `priority` (1 interactive, 2 bulk), which servers that do not know them ignore; the client keeps the deadline too.
 * A cancelled request closes its connection: that is how HTTP/1.1 tells the server.
 */
export function createKserveHttpServer(options: KserveHttpOptions): ModelServer {
  const maxResponseBytes = options.maxResponseBytes ?? 256 * 1024 * 1024;
  const probeTimeoutMs = options.probeTimeoutMs ?? 5_000;
  const base = new URL(options.url);
  const prefix = base.pathname.replace(/\/$/, "");
  const pool = new Pool(base.origin, {
    connections: options.connections ?? 32,
    // The deadline is kept below; a long run says nothing for minutes.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    connect: { timeout: 5_000 },
  });

  const modelPath = (model: string, version: string): string =>
    `${prefix}/v2/models/${encodeURIComponent(model)}/versions/${encodeURIComponent(version)}`;

  async function send(
    request: Omit<Dispatcher.RequestOptions, "signal">,
    limitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const deadline = AbortSignal.timeout(limitMs);
    const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
    try {
      either.throwIfAborted();
      const response = await pool.request({ ...request, signal: either });
      const bytes = await readBody(response, maxResponseBytes);
      return { status: response.statusCode, headers: response.headers, bytes };
    } catch (error) {
      throw transportError(error, { base, cancelled: signal?.aborted === true, expired: deadline.aborted });
    }
  }

  return {
    async infer(model: string, version: string, inputs: readonly Tensor[], infer: InferOptions): Promise<Inference> {
      const body = encodeInferRequest({
        inputs,
        parameters: { priority: infer.interactive ? 1 : 2, timeout: Math.ceil(infer.timeoutMs * 1000) },
        ...(infer.requestId === undefined ? {} : { id: infer.requestId }),
      });
      const answer = await send(
        {
          method: "POST",
          path: `${modelPath(model, version)}/infer`,
          headers: {
            "content-type": "application/octet-stream",
            ...(body.headerLength === undefined ? {} : { [headerLengthName]: String(body.headerLength) }),
          },
          body: Buffer.concat(body.chunks, body.sizeBytes),
        },
        infer.timeoutMs + graceMs,
        infer.signal,
      );
      if (answer.status !== 200) throw answerError(answer.status, answer.bytes, `${model} ${version}`);
      return checkedInference(answer, model, version);
    },

    async ready(model, version, probe = {}) {
      try {
        const path = `${modelPath(model, version)}/ready`;
        const answer = await send({ method: "GET", path }, probeTimeoutMs, probe.signal);
        return answer.status === 200;
      } catch (error) {
        if (error instanceof InferenceError && error.code !== "cancelled") return false;
        throw error;
      }
    },

    async describe(model, version, probe = {}): Promise<ModelDescription> {
      const answer = await send({ method: "GET", path: modelPath(model, version) }, probeTimeoutMs, probe.signal);
      if (answer.status !== 200) throw answerError(answer.status, answer.bytes, `${model} ${version}`);
      const metadata = modelMetadataSchema.parse(JSON.parse(answer.bytes.toString("utf8")));
      const { name, inputs, outputs, parameters = {} } = metadata;
      return { name, version, inputs, outputs, parameters };
    },

    close: () => pool.destroy(),
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  readonly bytes: Buffer;
}

function checkedInference(answer: Answer, model: string, version: string): Inference {
  const length = answer.headers[headerLengthName];
  let decoded;
  try {
    decoded = decodeInferResponse(answer.bytes, length === undefined ? undefined : Number(length));
  } catch (error) {
    throw new InferenceError("model-failed", `The model server's answer for ${model} cannot be read.`, {
      mayHaveRun: true,
      retryable: true,
      cause: error,
    });
  }
  if (decoded.model !== model || decoded.version !== version)
    throw new InferenceError(
      "model-unavailable",
      `Asked for ${model} ${version}, but ${decoded.model} ${decoded.version} answered.`,
      { cure: "Load the version that was asked for on every model server.", mayHaveRun: true, retryable: true },
    );
  return { outputs: decoded.outputs, version };
}

/** Reads a whole body into one buffer that starts at offset 0 of its memory, so that tensors in it stand aligned. */
async function readBody(response: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const declared = Number(response.headers["content-length"] ?? NaN);
  if (declared > maxBytes) {
    response.body.destroy();
    throw tooLarge(maxBytes);
  }
  if (Number.isNaN(declared)) return readUnknownLength(response, maxBytes);
  const whole = Buffer.allocUnsafeSlow(declared);
  let at = 0;
  for await (const chunk of response.body as AsyncIterable<Buffer>) at += chunk.copy(whole, at);
  return whole.subarray(0, at);
}

async function readUnknownLength(response: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  const whole = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(whole, at);
  return whole;
}

function tooLarge(maxBytes: number): InferenceError {
  return new InferenceError("too-large", `The model server's answer is larger than ${maxBytes} bytes.`, {
    cure: "Send shorter pieces of text.",
    mayHaveRun: true,
  });
}

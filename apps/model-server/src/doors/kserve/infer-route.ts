import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  decodeInferRequest,
  encodeInferResponse,
  headerLengthName,
  type InferBody,
  type InferRequest,
} from "@katari/inference/kserve";
import { InferenceError } from "@katari/inference";
import type { Registry } from "../../registry/registry.ts";

export interface InferParams {
  readonly model: string;
  readonly version?: string;
}

/** Time that a request may take when it names none. */
const defaultTimeoutMs = 300_000;

/**
 * `POST /v2/models/{model}[/versions/{version}]/infer`. The request parameters `timeout` (microseconds, from now until
 * the answer is of no use) and `priority` (1 is interactive, everything else bulk) are honoured. When the client closes
 * its connection the request is cancelled. The answer's pieces are written as they are, without joining them.
 */
export function inferRoute(registry: Registry) {
  return async (request: FastifyRequest<{ Params: InferParams }>, reply: FastifyReply): Promise<void> => {
    const model = registry.find(request.params.model, request.params.version);
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const decoded = decodeInferRequest(bytes, headerLength(request));
    const gone = new AbortController();
    const onClose = (): void => {
      if (!reply.raw.writableFinished) gone.abort();
    };
    reply.raw.on("close", onClose);
    try {
      const outputs = await model.infer({
        inputs: decoded.inputs,
        outputs: decoded.outputs,
        interactive: decoded.parameters["priority"] === 1,
        timeoutMs: timeoutMs(decoded),
        signal: gone.signal,
      });
      // Written to nobody; Fastify must not try either.
      if (gone.signal.aborted) return void reply.hijack();
      const { name, version } = model.source;
      const body = encodeInferResponse({ id: decoded.id, model: name, version, outputs }, decoded.binaryOutput);
      reply.hijack();
      writeBody(reply.raw, body);
    } finally {
      reply.raw.off("close", onClose);
    }
  };
}

function headerLength(request: FastifyRequest): number | undefined {
  const value = request.headers[headerLengthName];
  return value === undefined ? undefined : Number(value);
}

function timeoutMs(request: InferRequest): number {
  const timeout = request.parameters["timeout"];
  if (timeout === undefined || timeout === 0) return defaultTimeoutMs;
  if (typeof timeout !== "number" || timeout < 0)
    throw new InferenceError("invalid-argument", "parameter 'timeout' wants microseconds", { mayHaveRun: false });
  return timeout / 1000;
}

function writeBody(response: ServerResponse, body: InferBody): void {
  response.writeHead(200, {
    "content-type": body.headerLength === undefined ? "application/json" : "application/octet-stream",
    "content-length": body.sizeBytes,
    ...(body.headerLength === undefined ? {} : { [headerLengthName]: body.headerLength }),
  });
  response.cork();
  for (const chunk of body.chunks) response.write(chunk);
  response.end();
}

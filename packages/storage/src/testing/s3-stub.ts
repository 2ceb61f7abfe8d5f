import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { dialectRefusal, signatureRefusal, type StubAccount } from "./s3-stub-dialect.ts";
import { answerOf, failed, type StubAnswer, type StubRequest, type StubState } from "./s3-stub-objects.ts";

/** How the stub fails a request. */
export type FaultKind =
  /** Answers with this status and code, and does nothing. */
  | { readonly kind: "answer"; readonly status: number; readonly code: string }
  /** Takes the request and says nothing. */
  | { readonly kind: "silence" }
  /** Answers after this time. */
  | { readonly kind: "delay"; readonly delayMs: number }
  /** Breaks the connection when the request has come; `before` its effect or `after` it. */
  | { readonly kind: "reset"; readonly when: "before" | "after" }
  /** Announces the whole body, sends its beginning, then breaks the connection or says nothing more. */
  | { readonly kind: "cut" | "stall"; readonly afterBytes: number }
  /** Changes the answer, or what is kept. */
  | { readonly kind: "alter"; readonly answer: (answer: StubAnswer) => StubAnswer }
  | { readonly kind: "keep"; readonly body: (body: Buffer) => Buffer };

export interface Fault {
  readonly of: (request: StubRequest) => boolean;
  /** How many requests it strikes; all of them without it. */
  times?: number;
  readonly how: FaultKind;
}

export interface S3Stub extends StubAccount {
  readonly endpoint: string;
  readonly bucket: string;
  /** Every request that came, without its body, and the status of its answer where there was one. */
  readonly log: { readonly request: StubRequest; status?: number; code?: string }[];
  readonly faults: Fault[];
  readonly state: StubState;
  close(): Promise<void>;
}

/**
 * A small S3 service that is as strict as OCI's: only bucket-in-path, no aws-chunked, no checksum but MD5, SHA-256 and
 * CRC-32C, a Content-Length on every body. It checks signatures and body hashes with code of its own, so it also
 * shows that what the SDK sends is what the documentation says.
 */
export async function startS3Stub({ pageSize = 1000 } = {}): Promise<S3Stub> {
  const account = { region: "eu-test-1", accessKeyId: "AKIDSTUB", secretAccessKey: "stub/secret+key" };
  const bucket = "katari-test";
  const state: StubState = { objects: new Map(), uploads: new Map(), archived: new Map(), pageSize };
  const log: S3Stub["log"] = [];
  const faults: Fault[] = [];

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
    const raw = { method: incoming.method ?? "", url: incoming.url ?? "", headers, body: await buffer(incoming) };
    const url = new URL(raw.url, "http://stub");
    const [, inPath = "", ...parts] = url.pathname.split("/").map(decodeURIComponent);
    const request = { method: raw.method, key: parts.join("/"), query: url.searchParams, headers, body: raw.body };
    const entry: S3Stub["log"][number] = { request: { ...request, body: Buffer.alloc(0) } };
    log.push(entry);
    const answer =
      dialectRefusal(raw, new URL(endpoint).host) ??
      signatureRefusal(raw, account) ??
      (inPath === bucket ? await withFault(state, request, takeFault(faults, request)) : failed(404, "NoSuchBucket"));
    if (answer === "reset") incoming.socket.destroy();
    if (typeof answer === "string") return;
    entry.status = answer.status;
    const code = /<Code>(.*?)</u.exec(String(answer.status >= 400 ? (answer.body ?? "") : ""))?.[1];
    if (code !== undefined) entry.code = code;
    send(response, raw.method, answer);
  };

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => incoming.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...account,
    endpoint,
    bucket,
    log,
    faults,
    state,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

type FaultyAnswer = StubAnswer & { readonly cut?: { readonly afterBytes: number; readonly thenBreak: boolean } };

function takeFault(faults: Fault[], request: StubRequest): FaultKind | undefined {
  const index = faults.findIndex((fault) => fault.of(request));
  const fault = faults[index];
  if (fault?.times !== undefined && --fault.times === 0) faults.splice(index, 1);
  return fault?.how;
}

async function withFault(
  state: StubState,
  request: StubRequest,
  fault: FaultKind | undefined,
): Promise<FaultyAnswer | "silence" | "reset"> {
  switch (fault?.kind) {
    case undefined:
      return answerOf(state, request);
    case "answer":
      return failed(fault.status, fault.code);
    case "silence":
      return "silence";
    case "delay":
      await wait(fault.delayMs);
      return answerOf(state, request);
    case "reset":
      if (fault.when === "after") answerOf(state, request);
      return "reset";
    case "cut":
    case "stall":
      return {
        ...answerOf(state, request),
        cut: { afterBytes: fault.afterBytes, thenBreak: fault.kind === "cut" },
      };
    case "alter":
      return fault.answer(answerOf(state, request));
    case "keep":
      return answerOf(state, { ...request, body: fault.body(request.body) });
  }
}

function send(response: ServerResponse, method: string, { status, headers, body, cut }: FaultyAnswer): void {
  const bytes = Buffer.from(body ?? "");
  response.writeHead(status, { "content-length": String(bytes.length), ...headers });
  if (method === "HEAD") response.end();
  else if (cut) {
    response.write(bytes.subarray(0, cut.afterBytes), () => {
      if (cut.thenBreak) response.destroy();
    });
  } else response.end(bytes);
}

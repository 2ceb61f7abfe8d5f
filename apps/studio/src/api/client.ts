import type { Problem } from "@katari/contracts";

/** Codes of the server, and `offline` when it did not answer at all. */
export type ApiErrorCode = Problem["code"] | "offline";

/** What the server answered instead of what was asked for. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ApiErrorCode;
  readonly cure: string | undefined;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;

  constructor(code: ApiErrorCode, message: string, cure: string | undefined, status: number) {
    super(message);
    this.code = code;
    this.cure = cure;
    this.status = status;
  }
}

export const apiBase = "/api/v1";

/** Reads the answer's problem details; an answer of something else (a proxy, a stopping server) is `offline`. */
export function problemToError(status: number, text: string): ApiError {
  try {
    const problem = JSON.parse(text) as Partial<Problem>;
    if (problem.code !== undefined && problem.detail !== undefined)
      return new ApiError(problem.code, problem.detail, problem.cure, status);
  } catch {
    // Not JSON: handled like any other answer that is not ours.
  }
  return new ApiError("offline", "The server gave an answer that is not its own.", undefined, status);
}

async function request(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`${apiBase}${path}`, { ...init, credentials: "same-origin" });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError("offline", "The server does not answer.", undefined, 0);
  }
  if (!response.ok) throw problemToError(response.status, await response.text());
  return response;
}

/** `GET` below `/api/v1`. @throws ApiError */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await request(path, signal ? { signal } : {});
  return (await response.json()) as T;
}

/** A command: `POST` or `DELETE` with an optional JSON body; `undefined` when the answer is empty. @throws ApiError */
export async function send<T>(
  method: "POST" | "DELETE",
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<T> {
  const response = await request(path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (response.status === 204 ? undefined : await response.json()) as T;
}

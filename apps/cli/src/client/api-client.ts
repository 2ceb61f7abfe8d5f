import {
  problemSchema,
  type Completeness,
  type Conversion,
  type Export,
  type ProjectDetail,
  type ProjectSummary,
  type StartConversion,
  type StartExport,
  type System,
} from "@katari/contracts";
import { AppError, type StoredEvent } from "@katari/core";
import { createReadStream } from "node:fs";
import { readEventStream } from "./event-stream.ts";

/** Where an application answers: the one of this process tree, or a studio that already runs on the data folder. */
export interface ApiAddress {
  readonly url: string;
  readonly token: string;
}

/**
 * The HTTP API as `narrate` uses it, so that a narration takes the same way in an own process tree and beside a
 * running studio. Problem details of the answer become AppErrors again.
 */
export interface ApiClient {
  listProjects(): Promise<ProjectSummary[]>;
  createProject(path: string, fileName: string, signal: AbortSignal): Promise<{ projectId: string }>;
  getProject(projectId: string): Promise<ProjectDetail>;
  getCompleteness(projectId: string, documents: readonly string[]): Promise<Completeness>;
  startConversion(projectId: string, input: StartConversion): Promise<Conversion>;
  getConversion(conversionId: string): Promise<Conversion>;
  changeConversion(conversionId: string, change: "pause" | "resume" | "cancel" | "retry"): Promise<Conversion>;
  startExport(projectId: string, input: StartExport): Promise<Export>;
  getSystem(): Promise<System>;
  getExport(exportId: string): Promise<Export>;
  downloadExport(exportId: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Events after an id, for ever: reconnects and replays by itself. A `reset` is told as `undefined`. */
  events(projectId: string, after: number, signal: AbortSignal): AsyncIterable<StoredEvent | undefined>;
}

export function createApiClient({ url, token }: ApiAddress): ApiClient {
  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(`${url}/api/v1${path}`, { ...init, headers }).catch((error: unknown) => {
      throw init.signal?.aborted === true
        ? new AppError("cancelled", "The work was cancelled.", { cause: error })
        : new AppError(
            "unavailable",
            `Nothing answers at ${url}: the studio or server was stopped, or cannot be reached.`,
            {
              cure: "Run the same command again: it goes on where it was.",
              retryable: true,
              cause: error,
            },
          );
    });
    if (response.ok) return response;
    throw await problemToError(response);
  };
  const json = async <T>(path: string, init?: RequestInit): Promise<T> => (await (await call(path, init)).json()) as T;
  const post = <T>(path: string, body: unknown): Promise<T> =>
    json<T>(path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });

  return {
    listProjects: () => json("/projects"),
    createProject: (path, fileName, signal) =>
      json(`/projects?fileName=${encodeURIComponent(fileName)}`, {
        method: "POST",
        body: createReadStream(path),
        duplex: "half",
        headers: { "content-type": "application/octet-stream" },
        signal,
      }),
    getProject: (projectId) => json(`/projects/${projectId}`),
    getCompleteness: (projectId, documents) =>
      json(`/projects/${projectId}/completeness?documents=${documents.join(",")}`),
    startConversion: (projectId, input) => post(`/projects/${projectId}/conversions`, input),
    getConversion: (conversionId) => json(`/conversions/${conversionId}`),
    changeConversion: (conversionId, change) => post(`/conversions/${conversionId}/${change}`, {}),
    startExport: (projectId, input) => post(`/projects/${projectId}/exports`, input),
    getSystem: () => json("/system"),
    getExport: (exportId) => json(`/exports/${exportId}`),
    async downloadExport(exportId, signal) {
      const response = await call(`/exports/${exportId}/file`, { signal });
      if (response.body === null) throw new AppError("unavailable", "The export has no content.");
      return response.body;
    },
    events: (projectId, after, signal) =>
      readEventStream(
        (from, streamSignal) =>
          call(`/projects/${projectId}/events`, { headers: { "last-event-id": String(from) }, signal: streamSignal }),
        after,
        signal,
      ),
  };
}

async function problemToError(response: Response): Promise<AppError> {
  const parsed = problemSchema.safeParse(await response.json().catch(() => undefined));
  if (!parsed.success)
    return new AppError("internal", `The application answered with status ${response.status}.`, {
      cure: "See the log of the application.",
    });
  const { code, detail, cure } = parsed.data;
  return new AppError(code, detail, cure === undefined ? {} : { cure });
}

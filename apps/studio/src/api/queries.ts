import type {
  Completeness,
  Conversion,
  Export,
  ProjectDetail,
  ProjectSummary,
  Segment,
  SegmentPage,
  StartConversion,
  StartExport,
  Voice,
} from "@katari/contracts";
import { queryOptions } from "@tanstack/react-query";
import { getJson, send } from "./client.ts";

const isBusy = (project: ProjectSummary): boolean =>
  project.importState === "waiting" ||
  project.importState === "running" ||
  (project.readySegments > 0 && project.readySegments < project.voicedSegments);

/** The library; asked again by itself while something in it moves. */
export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: ({ signal }) => getJson<ProjectSummary[]>("/projects", signal),
  refetchInterval: ({ state }) => (state.data?.some(isBusy) === true ? 2_500 : false),
});

export const projectQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["project", projectId],
    queryFn: ({ signal }) => getJson<ProjectDetail>(`/projects/${projectId}`, signal),
    // Events carry most of it; this brings counts that they do not have.
    refetchInterval: ({ state }) => (state.data?.conversions.some(isLive) === true ? 15_000 : false),
  });

export const completenessQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["completeness", projectId],
    queryFn: ({ signal }) => getJson<Completeness>(`/projects/${projectId}/completeness`, signal),
  });

export const voicesQuery = queryOptions({
  queryKey: ["voices"],
  queryFn: ({ signal }) => getJson<Voice[]>("/voices", signal),
  staleTime: 60_000,
});

/** All sentences of a chapter, a page at a time. */
export const segmentsQuery = (projectId: string, documentId: string) =>
  queryOptions({
    queryKey: ["segments", projectId, documentId],
    queryFn: async ({ signal }) => {
      const segments: Segment[] = [];
      let after: string | undefined;
      do {
        const from = after === undefined ? "" : `&after=${encodeURIComponent(after)}`;
        const page: SegmentPage = await getJson(
          `/projects/${projectId}/documents/${documentId}/segments?limit=1000${from}`,
          signal,
        );
        segments.push(...page.segments);
        after = page.next;
      } while (after !== undefined);
      return segments;
    },
  });

export const startConversion = (projectId: string, input: StartConversion, idempotencyKey: string) =>
  send<Conversion>("POST", `/projects/${projectId}/conversions`, input, { "idempotency-key": idempotencyKey });

export type ConversionCommand = "pause" | "resume" | "cancel" | "retry";
export const commandConversion = (conversionId: string, command: ConversionCommand) =>
  send<Conversion>("POST", `/conversions/${conversionId}/${command}`);

export const startExport = (projectId: string, input: StartExport) =>
  send<Export>("POST", `/projects/${projectId}/exports`, input);

export const deleteProject = (projectId: string) => send<undefined>("DELETE", `/projects/${projectId}`);

export const listenFrom = (projectId: string, segmentId: string) =>
  send<undefined>("POST", `/projects/${projectId}/segments/${segmentId}/listen`);

export const coverUrl = (projectId: string): string => `/api/v1/projects/${projectId}/cover`;
export const exportUrl = (exportId: string): string => `/api/v1/exports/${exportId}/file`;
export const soundUrl = (projectId: string, segmentId: string): string =>
  `/api/v1/projects/${projectId}/segments/${segmentId}/audio`;

/** Whether a conversion is not over. */
export function isLive({ state }: Pick<Conversion, "state">): boolean {
  return state !== "succeeded" && state !== "failed" && state !== "cancelled";
}

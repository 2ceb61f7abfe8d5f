import type { ProjectDetail, StreamedEvent } from "@katari/contracts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { applyEvent } from "./apply-event.ts";
import { apiBase } from "./client.ts";
import { projectQuery } from "./queries.ts";

const reconnectMs = 3_000;
/** What events do not carry is asked for at once, but at most this often, however fast they come. */
const refetchMs = 1_500;
/** Events that are kept to be applied to an answer which was on its way when they came. */
const recentEvents = 200;

/**
 * A project that follows its events: the stream begins where the answer ended, comes back by itself with its last
 * position, and asks for everything anew when it is told to (`reset`).
 */
export function useLiveProject(projectId: string) {
  const client = useQueryClient();
  const query = useQuery(projectQuery(projectId));
  const answer = query.data;
  const known = answer !== undefined;
  const recent = useRef<StreamedEvent[]>([]);

  // An answer may be older than events that have come meanwhile: they are applied to it again.
  useEffect(() => {
    if (!answer) return;
    let data = answer;
    for (const streamed of recent.current) data = applyEvent(data, streamed).project;
    if (data !== answer) client.setQueryData(projectQuery(projectId).queryKey, data);
  }, [answer, client, projectId]);

  useEffect(() => {
    if (!known) return;
    const { queryKey } = projectQuery(projectId);
    let source: EventSource | undefined;
    let reconnect: number | undefined;
    let refetch: number | undefined;
    let refetchedAtMs = Number.NEGATIVE_INFINITY;
    const stale = new Set<string>();
    recent.current = [];

    const later = (...keys: (readonly string[])[]): void => {
      for (const key of keys) stale.add(JSON.stringify(key));
      refetch ??= window.setTimeout(
        () => {
          refetch = undefined;
          refetchedAtMs = performance.now();
          const keysNow = [...stale];
          stale.clear();
          for (const key of keysNow) void client.invalidateQueries({ queryKey: JSON.parse(key) as string[] });
        },
        Math.max(0, refetchedAtMs + refetchMs - performance.now()),
      );
    };
    const onEvent = (message: MessageEvent<string>): void => {
      const streamed = JSON.parse(message.data) as StreamedEvent;
      recent.current = [...recent.current.slice(1 - recentEvents), streamed];
      const before = client.getQueryData<ProjectDetail>(queryKey);
      if (!before) return;
      const { project, refetch: incomplete } = applyEvent(before, streamed);
      client.setQueryData(queryKey, project);
      if (incomplete) later(queryKey, ["completeness", projectId]);
      if (streamed.event.type === "progress") later(["segments", projectId, streamed.event.documentId]);
      else if (streamed.event.type === "conversion") later(["segments", projectId]);
    };
    const onReset = (): void => {
      recent.current = [];
      later(queryKey, ["segments", projectId], ["completeness", projectId]);
    };
    const open = (): void => {
      const after = client.getQueryData<ProjectDetail>(queryKey)?.lastEventId ?? 0;
      source = new EventSource(`${apiBase}/projects/${projectId}/events?after=${after}`);
      source.addEventListener("message", onEvent);
      source.addEventListener("reset", onReset);
      source.addEventListener("error", () => {
        // Asking tells whether only the line broke or the server is away, and the page then says so.
        later(queryKey);
        // The browser comes back by itself after a broken line, but gives up after an answer that is no stream.
        if (source?.readyState !== EventSource.CLOSED) return;
        source.close();
        reconnect = window.setTimeout(() => {
          void client.invalidateQueries({ queryKey });
          open();
        }, reconnectMs);
      });
    };
    open();
    return () => {
      source?.close();
      window.clearTimeout(reconnect);
      window.clearTimeout(refetch);
    };
  }, [client, known, projectId]);

  return query;
}

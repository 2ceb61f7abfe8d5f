import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { ApiError } from "./client.ts";

/** Whether the server answers, and whether it knows this browser. */
export type Connection = "open" | "offline" | "locked";

/** Keeps what the last answers said about the connection; every page shows it in the same place. */
export function createConnection() {
  let state: Connection = "open";
  const listeners = new Set<() => void>();
  const set = (next: Connection): void => {
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  };
  return {
    get: (): Connection => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    failed: (error: unknown): void => {
      if (!(error instanceof ApiError)) return;
      if (error.code === "offline") set("offline");
      else if (error.code === "unauthenticated") set("locked");
      else set("open");
    },
    answered: (): void => set("open"),
  };
}
export type ConnectionStore = ReturnType<typeof createConnection>;

export function useConnection(store: ConnectionStore): Connection {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** The cache of answers. The server is on this machine most of the time, so the browser's own "offline" says nothing. */
export function createQueryClient(connection: ConnectionStore): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: connection.failed, onSuccess: connection.answered }),
    mutationCache: new MutationCache({ onError: connection.failed }),
    defaultOptions: {
      queries: {
        networkMode: "always",
        staleTime: 1_000,
        retry: (failures, error) =>
          failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
        retryDelay: 800,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}

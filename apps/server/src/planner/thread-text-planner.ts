import { Worker } from "node:worker_threads";
import { AppError, type ErrorCode } from "@katari/core";
import type { TextPlan, TextPlanner } from "./text-planner.ts";

export interface ThreadRequest {
  readonly id: number;
  readonly request: Parameters<TextPlanner["plan"]>[0];
}

/** Errors lose their class on the way between threads, so they travel as data. */
export type ThreadAnswer =
  | { readonly id: number; readonly plan: TextPlan }
  | {
      readonly id: number;
      readonly error: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly cure?: string;
        readonly retryable: boolean;
        readonly cause: string;
      };
    };

interface Waiting {
  resolve(plan: TextPlan): void;
  reject(error: AppError): void;
}

/**
 * The text stage in a worker thread, started by the first request and again after it ended by itself. A request that is
 * cancelled is answered at once; the thread's own work on it is thrown away when it is done.
 */
export function createThreadTextPlanner(options: { readonly threadModule?: URL } = {}): TextPlanner {
  const threadModule = options.threadModule ?? new URL("./planner-thread.js", import.meta.url);
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let lastId = 0;
  let closed = false;

  const failAll = (error: AppError): void => {
    for (const each of waiting.values()) each.reject(error);
    waiting.clear();
  };

  const start = (): Worker => {
    const started = new Worker(threadModule);
    started.on("message", (answer: ThreadAnswer) => {
      const request = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (waiting.size === 0) started.unref();
      if (request === undefined) return;
      if ("plan" in answer) request.resolve(answer.plan);
      else {
        const { code, message, ...rest } = answer.error;
        request.reject(new AppError(code, message, rest));
      }
    });
    const gone = (cause?: unknown): void => {
      if (thread === started) thread = undefined;
      failAll(new AppError("unavailable", "The text planner ended.", { retryable: true, cause }));
    };
    started.on("error", gone);
    started.on("exit", () => gone());
    return started;
  };

  return {
    plan(request, signal) {
      if (closed) return Promise.reject(new AppError("unavailable", "The text planner is closed."));
      if (signal?.aborted === true) return Promise.reject(AppError.from(signal.reason));
      thread ??= start();
      const running = thread;
      const id = ++lastId;
      return new Promise<TextPlan>((resolve, reject) => {
        const onAbort = (): void => {
          waiting.delete(id);
          reject(AppError.from(signal?.reason));
        };
        const end = (): void => signal?.removeEventListener("abort", onAbort);
        waiting.set(id, {
          resolve: (plan) => {
            end();
            resolve(plan);
          },
          reject: (error) => {
            end();
            reject(error);
          },
        });
        signal?.addEventListener("abort", onAbort, { once: true });
        running.ref();
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origins
        running.postMessage({ id, request } satisfies ThreadRequest);
      });
    },
    async close() {
      closed = true;
      await thread?.terminate();
    },
  };
}

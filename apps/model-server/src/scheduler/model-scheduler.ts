import { InferenceError } from "@katari/inference";
import type { Clock } from "@katari/core";
import type { Tensor } from "@katari/contracts";
import type { FailureReason, ModelMetrics } from "../metrics/server-metrics.ts";
import type { Instance } from "../workers/instance.ts";
import { createModelQueue } from "./model-queue.ts";

export interface ScheduledRequest {
  readonly inputs: readonly Tensor[];
  /** Names of the wanted outputs; all when empty. */
  readonly outputs: readonly string[];
  readonly interactive: boolean;
  /** Time from now until the answer is of no use. */
  readonly timeoutMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/**
 * Gives one model's requests to its instances.
 *
 * - Order and ageing: see ModelQueue. A full queue refuses at once (`unavailable`, with `retryAfterMs` in the details).
 * - A request whose deadline passes in the queue never runs (`timeout`, `mayHaveRun` false); one that is running then
 *   loses its process (`timeout`, `mayHaveRun` true).
 * - A request that nobody waits for any more is dropped from the queue. A running one is asked to stop between groups
 *   of outputs. Where the runtime cannot (ONNX gives one group) it may end, since its rest is mostly shorter than the
 *   load of a new process; only when someone who is listening waits, no instance is free, and the rest is expected to
 *   take longer than a load, the process is killed for them.
 */
export interface ModelScheduler {
  infer(request: ScheduledRequest): Promise<readonly Tensor[]>;
  /** To be called whenever an instance becomes idle. */
  dispatch(): void;
  /** Takes no new requests; resolves when all accepted ones have ended. */
  drain(): Promise<void>;
  /** Fails every request that waits. */
  abandonQueue(): void;
  readonly queued: { readonly interactive: number; readonly bulk: number };
}

interface Job extends ScheduledRequest {
  readonly arrivedAt: number;
  readonly deadlineAt: number;
  settle(end: { readonly tensors: readonly Tensor[] } | { readonly error: InferenceError }): void;
}

interface Running {
  readonly job: Job;
  readonly instance: Instance;
  readonly startedAt: number;
}

/** Timers of Node take no longer ones. */
const longestTimeoutMs = 2 ** 31 - 1;

export function createModelScheduler(options: {
  readonly instances: readonly Instance[];
  readonly queueLimit: number;
  readonly ageingMs: number;
  readonly clock: Clock;
  readonly metrics: ModelMetrics;
}): ModelScheduler {
  const { instances, clock, metrics } = options;
  const queue = createModelQueue<Job>({ limit: options.queueLimit, ageingMs: options.ageingMs, clock });
  const running = new Set<Running>();
  let meanRunMs = 1_000;
  let draining = false;
  let lookAgain: NodeJS.Timeout | undefined;
  let drained: () => void = () => undefined;

  function failJob(job: Job, error: InferenceError, reason: FailureReason): void {
    metrics.failed(reason);
    job.settle({ error });
  }

  function refuse(): InferenceError {
    metrics.failed("rejected");
    const retryAfterMs = Math.ceil((meanRunMs * (queue.length + 1)) / Math.max(1, instances.length));
    return new InferenceError("unavailable", "Exceeds maximum queue size", {
      cure: "Send the request again later, or add instances.",
      retryable: true,
      mayHaveRun: false,
      details: { retryAfterMs },
    });
  }

  async function start(job: Job, instance: Instance): Promise<void> {
    const run: Running = { job, instance, startedAt: clock.now() };
    running.add(run);
    metrics.waited(run.startedAt - job.arrivedAt);
    try {
      const tensors = await instance.run(job.inputs, job.outputs, Math.max(1, job.deadlineAt - run.startedAt));
      const runMs = clock.now() - run.startedAt;
      meanRunMs += (runMs - meanRunMs) / 8;
      metrics.succeeded(runMs);
      job.settle({ tensors });
    } catch (error) {
      const known = InferenceError.from(error);
      failJob(job, known, failureReason(known));
    } finally {
      running.delete(run);
      dispatch();
    }
  }

  function dispatch(): void {
    for (const instance of instances) {
      if (instance.state !== "idle") continue;
      const job = queue.next();
      if (!job) break;
      void start(job, instance);
    }
    freeAbandonedInstance();
    if (draining && queue.length === 0 && running.size === 0) drained();
  }

  /** Ends a run that nobody waits for any more when someone who is listening gains by it; looks again while it may. */
  function freeAbandonedInstance(): void {
    clearTimeout(lookAgain);
    if (queue.lengthOf("interactive") === 0) return;
    const abandoned = [...running].filter(({ job }) => job.signal.aborted);
    const worthIt = abandoned.find((run) => expectedRestMs(run) > run.instance.loadMs);
    if (worthIt) worthIt.instance.killRun();
    else if (abandoned.length > 0) lookAgain = setTimeout(freeAbandonedInstance, 250);
  }

  /** What a mean run has left; one that takes twice as long is expected to take as long again. */
  function expectedRestMs({ startedAt }: Running): number {
    const elapsedMs = clock.now() - startedAt;
    return elapsedMs > 2 * meanRunMs ? elapsedMs : meanRunMs - elapsedMs;
  }

  return {
    infer(request) {
      if (draining)
        return Promise.reject(
          new InferenceError("unavailable", "Server exiting", { retryable: true, mayHaveRun: false }),
        );
      return new Promise((resolve, reject) => {
        const arrivedAt = clock.now();
        const timeoutMs = Math.min(request.timeoutMs, longestTimeoutMs);
        const drop = (code: "cancelled" | "timeout", message: string, reason: "cancelled" | "expired"): void => {
          if (!queue.remove(job)) return;
          failJob(job, new InferenceError(code, message, { retryable: code === "timeout", mayHaveRun: false }), reason);
          dispatch();
        };
        const onAbort = (): void => {
          drop("cancelled", "The request was cancelled before it started.", "cancelled");
          for (const run of running) if (run.job === job) run.instance.cancelRun();
          freeAbandonedInstance();
        };
        const timer = setTimeout(() => drop("timeout", "Request timeout expired", "expired"), timeoutMs);
        const job: Job = {
          ...request,
          arrivedAt,
          deadlineAt: arrivedAt + timeoutMs,
          settle(end) {
            clearTimeout(timer);
            request.signal.removeEventListener("abort", onAbort);
            if ("error" in end) reject(end.error);
            else resolve(end.tensors);
          },
        };
        request.signal.addEventListener("abort", onAbort);
        if (!queue.add(job)) return job.settle({ error: refuse() });
        if (request.signal.aborted) return onAbort();
        dispatch();
      });
    },
    dispatch,
    async drain() {
      draining = true;
      await new Promise<void>((resolve) => {
        drained = resolve;
        dispatch();
      });
    },
    abandonQueue() {
      for (const job of queue.removeAll())
        failJob(
          job,
          new InferenceError("unavailable", "Server exiting", { retryable: true, mayHaveRun: false }),
          "rejected",
        );
      dispatch();
    },
    get queued() {
      return { interactive: queue.lengthOf("interactive"), bulk: queue.lengthOf("bulk") };
    },
  };
}

function failureReason(error: InferenceError): FailureReason {
  if (error.code === "timeout" || error.code === "cancelled") return error.code;
  return error.retryable ? "process" : "model";
}

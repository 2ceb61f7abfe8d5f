import {
  InferenceError,
  type ChildRuntime,
  type ModelFile,
  type ModelSignature,
  type StartChild,
} from "@katari/inference";
import type { Tensor } from "@katari/contracts";
import type { RestartReason } from "../metrics/server-metrics.ts";
import type { Logger } from "../logger.ts";

export interface InstanceLimits {
  /** Time that a child may take to load its model. */
  readonly loadTimeoutMs: number;
  /** A child whose memory is above this after a run is replaced before its next one. */
  readonly maxRssBytes: number;
  /** Longest run, whatever its request allows: a child above it hangs. */
  readonly maxRunMs: number;
  /** Runs after which a child is replaced. */
  readonly maxRuns: number;
  /** Longest wait before a child that keeps dying is started again. */
  readonly maxBackOffMs: number;
}

/**
 * One place for runs of a model: a child, and another one when it ends.
 *
 *     starting → idle ⇄ busy → (recycle, crash, kill) → starting …
 *     starting → failed       the model could never be loaded; nothing is tried again
 *     any      → stopped
 *
 * A child that dies is replaced at once; if it dies again before a run succeeded, after 200 ms, 400 ms … up to
 * `maxBackOffMs`. Kills that the parent wanted do not count.
 */
export interface Instance {
  readonly state: "starting" | "idle" | "busy" | "failed" | "stopped";
  readonly rssBytes: number;
  readonly pid: number | undefined;
  /** Time that the last load took: what a kill costs. */
  readonly loadMs: number;
  /** The first load; rejects when the model cannot be loaded. */
  readonly loaded: Promise<ModelSignature>;
  /** Runs the model; only when idle. The child is killed and replaced when `limitMs` or `maxRunMs` is over (`timeout`). */
  run(inputs: readonly Tensor[], outputs: readonly string[], limitMs: number): Promise<Tensor[]>;
  /** Ends a run by killing its child, which is replaced. */
  killRun(): void;
  /** Asks the child to stop its run before the next group of outputs, where its runtime can. */
  cancelRun(): void;
  /** Ends the child at once, and replaces it no more. */
  stop(): Promise<void>;
}

export function createInstance(options: {
  readonly startChild: StartChild;
  readonly model: ModelFile;
  readonly limits: InstanceLimits;
  readonly logger: Logger;
  readonly onIdle: () => void;
  readonly onChildEnded: (reason: RestartReason) => void;
}): Instance {
  const { model, limits, logger } = options;
  let state: Instance["state"] = "starting";
  let child: ChildRuntime | undefined;
  let deaths = 0;
  let loadMs = 0;
  let killed = false;
  let recycling = false;
  let wakeBackOff: () => void = () => undefined;
  let everLoaded = false;
  let resolveFirst: (signature: ModelSignature) => void = () => undefined;
  let rejectFirst: (error: unknown) => void = () => undefined;
  const loaded = new Promise<ModelSignature>((resolve, reject) => {
    resolveFirst = resolve;
    rejectFirst = reject;
  });
  // Whoever asked for the load hears of it; nobody else needs to.
  loaded.catch(() => undefined);

  const stopped = (): boolean => state === "stopped";

  async function loadInto(fresh: ChildRuntime): Promise<ModelSignature> {
    const started = performance.now();
    const timer = setTimeout(() => {
      logger.error({ model: model.name, limitMs: limits.loadTimeoutMs }, "the model took too long to load");
      fresh.kill();
    }, limits.loadTimeoutMs);
    try {
      const signature = await fresh.load(model);
      loadMs = performance.now() - started;
      return signature;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits before a child that died is replaced; a stop ends the wait. */
  async function backOff(): Promise<void> {
    const delayMs = deaths < 2 ? 0 : Math.min(limits.maxBackOffMs, 100 * 2 ** (deaths - 1));
    if (delayMs === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      wakeBackOff = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function live(): Promise<void> {
    while (!stopped()) {
      await backOff();
      if (stopped()) return;
      const fresh = options.startChild();
      child = fresh;
      killed = false;
      recycling = false;
      try {
        resolveFirst(await loadInto(fresh));
        everLoaded = true;
        if (stopped()) return;
        state = "idle";
        options.onIdle();
      } catch (error) {
        fresh.kill();
        if (!everLoaded && error instanceof InferenceError && !error.retryable) {
          state = "failed";
          rejectFirst(error);
          logger.error({ model: model.name, err: error }, "the model cannot be loaded");
          return;
        }
      }
      const exit = await fresh.exited;
      if (stopped()) return;
      state = "starting";
      const reason: RestartReason = recycling ? "recycled" : killed ? "killed" : "crash";
      deaths = reason === "crash" ? deaths + 1 : deaths;
      logger.warn({ model: model.name, pid: fresh.pid, reason, ...exit }, "a child of the model server is replaced");
      options.onChildEnded(reason);
    }
  }

  function afterRun(ran: ChildRuntime): void {
    if (state !== "busy") return;
    const { rssBytes, runs } = ran.stats();
    if (rssBytes <= limits.maxRssBytes && runs < limits.maxRuns) {
      state = "idle";
      options.onIdle();
      return;
    }
    recycling = true;
    state = "starting";
    void ran.drain();
  }

  const life = live().catch((error: unknown) => {
    state = "failed";
    rejectFirst(error);
    logger.error({ model: model.name, err: error }, "an instance of the model server broke down");
  });

  return {
    get state() {
      return state;
    },
    get rssBytes() {
      return child?.stats().rssBytes ?? 0;
    },
    get pid() {
      return child?.pid;
    },
    get loadMs() {
      return loadMs;
    },
    loaded,
    async run(inputs, outputs, limitMs) {
      const current = child;
      if (state !== "idle" || !current)
        throw new InferenceError("unavailable", "No process is free.", { retryable: true, mayHaveRun: false });
      state = "busy";
      let expired = false;
      let failed = true;
      const timer = setTimeout(
        () => {
          expired = true;
          killed = true;
          current.kill();
        },
        Math.min(limitMs, limits.maxRunMs),
      );
      try {
        const tensors: Tensor[] = [];
        for await (const group of current.infer(inputs, outputs)) tensors.push(...group);
        deaths = 0;
        failed = false;
        return tensors;
      } catch (error) {
        if (expired)
          throw new InferenceError("timeout", "The model did not finish in time; its process was replaced.", {
            retryable: true,
            mayHaveRun: true,
            cause: error,
          });
        const known = InferenceError.from(error);
        // A refusal comes from a child that is well; a death is seen by `live`, which starts another one.
        failed = known.retryable;
        throw known;
      } finally {
        clearTimeout(timer);
        if (!failed) afterRun(current);
      }
    },
    killRun() {
      if (state !== "busy") return;
      killed = true;
      child?.kill();
    },
    cancelRun() {
      if (state === "busy") child?.cancel();
    },
    async stop() {
      const last = child;
      if (state === "failed") return;
      state = "stopped";
      wakeBackOff();
      rejectFirst(new InferenceError("unavailable", "The model was unloaded.", { retryable: true, mayHaveRun: false }));
      last?.kill();
      await last?.exited;
      await life;
    },
  };
}

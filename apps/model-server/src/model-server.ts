import { isAbsolute, resolve } from "node:path";
import Fastify from "fastify";
import { AppError, systemClock, type Clock } from "@katari/core";
import { usableCores } from "./calibration/usable-cores.ts";
import { errorAnswer } from "./doors/kserve/error-answer.ts";
import { kserveDoor } from "./doors/kserve/kserve-door.ts";
import { silentLogger, type Logger } from "./logger.ts";
import { createServerMetrics, type ServerMetrics } from "./metrics/server-metrics.ts";
import type { ModelSource } from "./registry/model-source.ts";
import { createRegistry } from "./registry/registry.ts";
import { startOnnxProcess } from "./runtimes/onnx-process.ts";
import type { InstanceLimits } from "./workers/instance.ts";

export interface ModelServerOptions {
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port?: number;
  readonly models?: readonly ModelSource[];
  /** Children for each model that names no number; one per core when absent. See `measureInstances`. */
  readonly instances?: number;
  /** Threads of each child; 1 when absent. */
  readonly threadsPerInstance?: number;
  /** Folders from which models may be loaded over the network; none when absent. */
  readonly allowedRoots?: readonly string[];
  /** Requests that may wait for each model. */
  readonly queueLimit?: number;
  /** Head start of interactive requests over bulk ones. */
  readonly ageingMs?: number;
  readonly maxRequestBytes?: number;
  /** Time that accepted requests get to end when a model is unloaded or the server closes. */
  readonly drainMs?: number;
  readonly limits?: Partial<InstanceLimits>;
  /** Niceness of the children, 0 to 19. */
  readonly niceness?: number;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

export interface ModelServerHandle {
  readonly url: string;
  readonly port: number;
  /** Loads a model beside what serves; resolves when it can answer. */
  loadModel(source: ModelSource): Promise<void>;
  unloadModel(name: string, version?: string): Promise<void>;
  /** Process ids of all children. */
  childPids(): readonly number[];
  /** Takes no new requests, lets accepted ones end for `drainMs`, then ends children and socket. */
  close(options?: { drainMs?: number }): Promise<void>;
}

const defaultLimits: InstanceLimits = {
  loadTimeoutMs: 120_000,
  maxRssBytes: 2 * 1024 ** 3,
  maxRunMs: 600_000,
  maxRuns: 10_000,
  maxBackOffMs: 30_000,
};

/**
 * Katari's model server: KServe v2 over HTTP in this process, models in children. Resolves when it listens and its
 * `models` are loaded. Throws `port-taken`, and what loading a model throws.
 */
export async function createModelServer(options: ModelServerOptions = {}): Promise<ModelServerHandle> {
  const logger = options.logger ?? silentLogger;
  const drainMs = options.drainMs ?? 30_000;
  let phase: "starting" | "serving" | "draining" = "starting";
  const metrics: ServerMetrics = createServerMetrics(() => registry.all().map((model) => model.gauges));
  const registry = createRegistry(
    {
      instances: options.instances ?? usableCores(),
      threads: options.threadsPerInstance ?? 1,
      queueLimit: options.queueLimit ?? 256,
      ageingMs: options.ageingMs ?? 30_000,
      limits: { ...defaultLimits, ...options.limits },
      startChild: () =>
        startOnnxProcess({
          niceness: options.niceness ?? 5,
          onErrorLine: (line) => logger.warn({ line }, "a child of the model server said"),
        }),
      clock: options.clock ?? systemClock,
      logger,
    },
    drainMs,
    () => metrics,
  );

  const app = Fastify({ bodyLimit: options.maxRequestBytes ?? 64 * 1024 * 1024, forceCloseConnections: "idle" });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.setErrorHandler(errorAnswer(logger));
  app.setNotFoundHandler((_request, reply) => reply.status(404).send({ error: "Not Found" }));
  app.get("/metrics", async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
  kserveDoor(app, {
    registry,
    allowedRoots: (options.allowedRoots ?? []).map((root) => resolve(root)),
    serving: () => phase === "serving",
  });

  async function close(closing: { drainMs?: number } = {}): Promise<void> {
    phase = "draining";
    await registry.stop(closing.drainMs ?? drainMs);
    await app.close();
  }

  try {
    const url = await listen();
    await Promise.all((options.models ?? []).map((model) => registry.load(model)));
    phase = "serving";
    logger.info({ url, models: options.models?.map((model) => model.name) }, "the model server is ready");
    return {
      url,
      port: Number(new URL(url).port),
      async loadModel(source) {
        await registry.load(isAbsolute(source.path) ? source : { ...source, path: resolve(source.path) });
      },
      unloadModel: (name, version) => registry.unload(name, version),
      childPids: () => registry.all().flatMap((model) => model.pids),
      close,
    };
  } catch (error) {
    await close({ drainMs: 0 });
    throw error;
  }

  async function listen(): Promise<string> {
    try {
      return await app.listen({ host: options.host ?? "127.0.0.1", port: options.port ?? 0 });
    } catch (error) {
      throw AppError.from(error);
    }
  }
}

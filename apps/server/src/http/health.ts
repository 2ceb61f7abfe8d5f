import type { FastifyInstance } from "fastify";
import { AppError } from "@katari/core";
import type { Application } from "../application.ts";
import type { AccessToken } from "./access-token.ts";
import { requireCaller } from "./session.ts";

/** The part of prom-client's Registry that is shown at `/metrics`. */
export interface MetricsRegistry {
  readonly contentType: string;
  metrics(): Promise<string>;
}

const readyTimeoutMs = 2_000;

/**
 * `/health/live` (the process answers), `/health/ready` (so does its database) for probes, without a session;
 * `/metrics` for Prometheus, with a bearer token.
 */
export function registerHealth(
  app: FastifyInstance,
  options: {
    readonly application: Application;
    readonly version: string;
    readonly token: AccessToken;
    readonly boundPort: () => number | undefined;
    readonly metrics?: MetricsRegistry;
  },
): void {
  app.get("/health/live", async () => ({ status: "live", version: options.version }));
  app.get("/health/ready", async () => {
    await withinTime(options.application.getSystem());
    return { status: "ready", version: options.version };
  });
  const registry = options.metrics;
  if (!registry) return;
  void app.register(async (scope) => {
    requireCaller(scope, { token: options.token, port: options.boundPort });
    scope.get("/metrics", async (_request, reply) => {
      const text = await registry.metrics();
      return reply.type(registry.contentType).header("cache-control", "no-store").send(text);
    });
  });
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new AppError("unavailable", "The server is not ready.", { retryable: true })),
      readyTimeoutMs,
    );
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    throw new AppError("unavailable", "The server is not ready.", { retryable: true, cause: error });
  } finally {
    clearTimeout(timer);
  }
}

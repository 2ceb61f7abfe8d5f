import type { Deployment } from "@katari/contracts";
import { AppError, systemClock } from "@katari/core";
import { connectPostgres } from "@katari/database";
import { connectRabbitMq } from "@katari/queue/rabbitmq";
import { openStore } from "@katari/storage";
import { createLogger, createMetrics } from "@katari/telemetry";
import { createApplication } from "./create-application.ts";
import { createAccessToken } from "./http/access-token.ts";
import { createHttpServer } from "./http/http-server.ts";
import { createThreadTextPlanner } from "./planner/thread-text-planner.ts";
import type { Voices } from "./planner/voices.ts";

export interface RunServerOptions {
  readonly deployment: Deployment;
  /** The voices that this server can plan for. */
  readonly voices: Voices;
  readonly version: string;
  /** Folder with the built studio; without it the server has an API only. */
  readonly studioFolder?: string;
  /** Ends the server: what is under way is finished or left to the others. */
  readonly signal: AbortSignal;
  /** The server takes requests. */
  readonly onReady: (url: string) => void;
}

/**
 * The application as a process of its own, on PostgreSQL, RabbitMQ and a shared object store. Any number of them run side
 * by side: the database keeps them apart. Resolves when the signal has come and everything is closed. Throws AppError
 * that names the setting to change.
 */
export async function runServer(options: RunServerOptions): Promise<void> {
  const { deployment, voices, version, signal } = options;
  const { database: databaseSettings, http: httpSettings } = deployment;
  if (databaseSettings === undefined) throw missing("KATARI_DATABASE_URL (database.url)");
  if (httpSettings === undefined) throw missing("KATARI_HTTP_TOKEN (http.token)");
  const logger = createLogger({ name: "server", level: deployment.logLevel });
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const { url, maxConnections } = databaseSettings;
    const database = await connectPostgres({
      url,
      applicationName: "katari server",
      ...(maxConnections === undefined ? {} : { maxConnections }),
    });
    closers.push(() => database.close());
    const bus = await connectRabbitMq({
      url: deployment.bus.url,
      setting: "KATARI_BUS_URL",
      name: "server",
      logger,
      signal,
    });
    closers.push(() => bus.close());
    const objects = await openStore(deployment.objects, signal);
    closers.push(async () => objects.close());
    const { store } = objects;
    const planner = createThreadTextPlanner();
    closers.push(() => planner.close());
    const application = createApplication({
      planner,
      database,
      bus,
      store,
      clock: systemClock,
      logger,
      version,
      voices,
      adapters: { queue: "RabbitMQ", objects: deployment.objects.kind, inference: inferenceOf(deployment) },
    });
    await application.start();
    closers.push(() => application.stop());
    const http = await createHttpServer({
      application,
      store,
      logger,
      version,
      token: createAccessToken({ secret: httpSettings.token, caller: { ownerId: "local" } }),
      host: httpSettings.host,
      port: httpSettings.port,
      hostNames: httpSettings.hostNames,
      metrics: createMetrics({ app: "server" }).registry,
      ...(options.studioFolder === undefined ? {} : { studioFolder: options.studioFolder }),
    });
    closers.push(() => http.close());
    options.onReady(http.url);
    await ended(signal);
  } finally {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
  }
}

function inferenceOf({ modelServers }: Deployment): string {
  const pools = Object.entries(modelServers).map(([lane, url]) => `${lane}: ${url}`);
  return pools.length === 0 ? "the workers' own setting" : pools.join(", ");
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function missing(setting: string): AppError {
  return new AppError("invalid-argument", `The setting ${setting} is missing.`, {
    cure: "Set the variable, or the entry in the file that --config names; docs/deployment.md has all of them.",
  });
}

import { systemClock } from "@katari/core";
import { openPglite } from "@katari/database";
import { createMemoryBus } from "@katari/queue";
import { createAccessToken, createApplication, createHttpServer, createThreadTextPlanner } from "@katari/server";
import { createFileStore } from "@katari/storage";
import { createLogger, createMetrics } from "@katari/telemetry";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "../data-folder/paths.ts";
import { logLevel } from "../log-level.ts";
import { version } from "../version.ts";
import { voiceCatalogue } from "../voice-catalogue.ts";
import { firstRunToken } from "./first-run-token.ts";
import { measuredChoice } from "./instances.ts";
import { startModelServer } from "./model-server-process.ts";
import { startWorker } from "./worker-process.ts";

export interface ProcessTree {
  readonly url: string;
  readonly token: string;
  /** Stops in the reverse order of the start. */
  close(): Promise<void>;
}

export interface ProcessTreeOptions {
  /** Locked by the caller. */
  readonly dataFolder: string;
  readonly port: number;
  readonly command: "narrate" | "serve";
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The one person of an embedded installation. */
const localOwner = { ownerId: "local" };

/**
 * The whole product in one process tree: application, database, bus and HTTP in this process; workers and the model
 * server are children that end when this process does. When a part cannot start, those before it are stopped again.
 */
export async function startProcessTree(options: ProcessTreeOptions): Promise<ProcessTree> {
  const { dataFolder, environment } = options;
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (let stop = closers.pop(); stop !== undefined; stop = closers.pop()) await stop();
  };
  try {
    const logger = createLogger({ name: "katari", level: logLevel(environment, options.command) });
    const token = await firstRunToken(dataFolder);
    const storeFolder = join(dataFolder, "store");
    const store = await createFileStore({ root: storeFolder });
    const catalogue = voiceCatalogue(environment);
    const cache = cacheFolder(environment);
    // Models load while the database opens: both take a second or more.
    const starting = startModelServer({ catalogue, cacheFolder: cache, environment, logger });
    closers.push(async () => (await starting.catch(() => undefined))?.stop());
    const database = await openPglite({ folder: join(dataFolder, "database") });
    closers.push(() => database.close());
    const bus = createMemoryBus();
    closers.push(() => bus.close());
    const modelServer = await starting;

    const planner = createThreadTextPlanner();
    closers.push(() => planner.close());
    const application = createApplication({
      planner,
      database,
      bus,
      store,
      clock: systemClock,
      logger,
      version: version(),
      voices: {
        available: () => catalogue.available(),
        list: () => catalogue.list(),
        async load(id) {
          const voice = await catalogue.load(id);
          await modelServer.ensureModel(voice);
          return voice;
        },
      },
      adapters: {
        queue: "in-process",
        objects: "files",
        inference: `Katari model server at ${modelServer.url}`,
      },
    });
    await application.start();
    closers.push(() => application.stop());

    // One more than the instances of the model: while one is answering, the next request is already there.
    const instances = (await measuredChoice(catalogue, cache))?.instances ?? availableParallelism();
    const common = { bus, storeFolder, modelServerUrl: modelServer.url, environment, logger };
    const speech = { "speech.cpu.bulk": instances + 1, "speech.cpu.interactive": 1 };
    const workers = await Promise.all([
      startWorker({ ...common, name: "speech worker", slots: speech }),
      startWorker({ ...common, name: "document worker", slots: { import: 1, export: 1 } }),
    ]);
    closers.push(() => Promise.all(workers.map((worker) => worker.stop())));

    const studioFolder = fileURLToPath(new URL("../../../studio/dist", import.meta.url));
    const http = await createHttpServer({
      application,
      store,
      logger,
      version: version(),
      token: createAccessToken({ secret: token, caller: localOwner }),
      port: options.port,
      metrics: createMetrics({ app: "katari" }).registry,
      ...(existsSync(studioFolder) ? { studioFolder } : {}),
    });
    closers.push(() => http.close());
    return { url: http.url, token, close };
  } catch (error) {
    await close();
    throw error;
  }
}

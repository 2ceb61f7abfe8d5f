import { AppError, systemClock, type Clock } from "@katari/core";
import type { DatabaseHandle } from "@katari/database";
import type { MessageBus } from "@katari/queue";
import type { ObjectStore } from "@katari/storage";
import type { Application } from "./application.ts";
import { createCollector } from "./collect/collector.ts";
import type { TaskReport } from "./collect/task-report.ts";
import { windDownAll } from "./conversions/wind-down.ts";
import { createDispatcher } from "./dispatch/dispatcher.ts";
import { createSweeper } from "./dispatch/sweeper.ts";
import { createWorkerRegistry } from "./dispatch/worker-registry.ts";
import { createNotifier } from "./events/notifier.ts";
import { deleteProjects } from "./imports/delete-projects.ts";
import { createLoader } from "./imports/loader.ts";
import { createCommands } from "./commands.ts";
import { createPlanner } from "./planner/planner.ts";
import type { TextPlanner } from "./planner/text-planner.ts";
import type { Voices } from "./planner/voices.ts";
import { createQueries } from "./queries/queries.ts";
import {
  defaultTiming,
  randomId,
  sha256Hex,
  type Logger,
  type ServerContext,
  type ServerTiming,
} from "./server-context.ts";

export interface ApplicationOptions {
  readonly database: DatabaseHandle;
  readonly bus: MessageBus;
  readonly store: ObjectStore;
  readonly voices: Voices;
  /** Text work of planning; ended by whoever made it. */
  readonly planner: TextPlanner;
  readonly logger: Logger;
  readonly version: string;
  /** What serves as bus, store and inference, for people to read: `{ bus: "memory", store: "files" }`. */
  readonly adapters?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly newId?: () => string;
  readonly sha256?: (text: string) => string;
  readonly timing?: Partial<ServerTiming>;
}

/** The application with its moving parts: between `start` and `stop` it dispatches, collects, loads and plans. */
export interface RunningApplication extends Application {
  start(): Promise<void>;
  /** Stops in reverse order of the start; what is under way is finished or taken up again by the next start. */
  stop(): Promise<void>;
}

/** Wires the application. Adapters are the caller's: it opened them and closes them after `stop`. */
export function createApplication(options: ApplicationOptions): RunningApplication {
  const { database, bus, store, voices, logger } = options;
  const context: ServerContext = {
    database,
    bus,
    store,
    logger,
    clock: options.clock ?? systemClock,
    newId: options.newId ?? randomId,
    sha256: options.sha256 ?? sha256Hex,
    timing: { ...defaultTiming, ...options.timing },
  };
  const workers = createWorkerRegistry({
    bus,
    clock: context.clock,
    silenceMs: context.timing.workerSilenceMs,
    onChange: () => dispatcher.wake(),
  });
  const collector = createCollector(context, {
    onSettled(settled) {
      if (settled.wakeDispatcher) dispatcher.refill();
      if (settled.wakeLoader) loader.wake();
    },
  });
  const report = (reports: readonly TaskReport[]): Promise<void> => collector.report(reports);
  const dispatcher = createDispatcher(context, { workers, report });
  const sweeper = createSweeper(context, {
    workers,
    report,
    async afterwards(signal) {
      await windDownAll(context, signal);
      await deleteProjects(context, signal);
    },
  });
  const loader = createLoader(context);
  const planner = createPlanner(context, {
    voices,
    textPlanner: options.planner,
    onPlanned: () => dispatcher.wake(),
  });
  const notifier = createNotifier({ database, logger });

  let state: "new" | "started" | "stopped" = "new";
  return {
    ...createQueries({
      context,
      voices,
      workers,
      version: options.version,
      adapters: { database: database.kind, ...options.adapters },
    }),
    ...createCommands({
      context,
      voices,
      workers,
      wakeDispatcher: () => dispatcher.wake(),
      wakePlanner: () => planner.wake(),
      wakeSweeper: () => sweeper.wake(),
    }),
    onEvents: (projectId, listener) => notifier.onEvents(projectId, listener),
    async start() {
      if (state !== "new") throw new AppError("internal", "An application is started once.");
      state = "started";
      await notifier.start();
      await collector.start();
      // The sweeper first: what an earlier bus lost has to be pending before the first round of the dispatcher counts.
      for (const loop of [sweeper, loader, planner, dispatcher]) loop.start();
    },
    async stop() {
      if (state === "stopped") return;
      state = "stopped";
      // The loops report through the collector, so it goes after them.
      await Promise.all([dispatcher, planner, loader, sweeper].map((loop) => loop.stop()));
      await collector.stop();
      workers.close();
      await notifier.stop();
    },
  };
}

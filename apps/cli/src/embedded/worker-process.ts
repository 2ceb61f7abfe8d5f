import type { TaskQueue } from "@katari/contracts";
import { serveBusOverIpc, type MessageBus } from "@katari/queue";
import type { Logger } from "@katari/telemetry";
import type { WorkerConfiguration } from "@katari/worker";
import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { supervise, type Supervised } from "./supervise.ts";

export interface WorkerProcessOptions {
  readonly name: string;
  readonly bus: MessageBus;
  /** Root of the object store. */
  readonly storeFolder: string;
  readonly modelServerUrl: string;
  readonly slots: Partial<Record<TaskQueue, number>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

/** A worker of this process tree: a child that reaches the parent's bus over IPC. */
export function startWorker(options: WorkerProcessOptions): Promise<Supervised> {
  const { name, bus, logger } = options;
  const entry = fileURLToPath(import.meta.resolve("@katari/worker/main"));
  const start = async (): Promise<ChildProcess> => {
    const configuration: Omit<WorkerConfiguration, "workerId"> = {
      dataFolder: options.storeFolder,
      modelServerUrl: options.modelServerUrl,
      queues: options.slots,
      logLevel: logger.level as WorkerConfiguration["logLevel"],
    };
    const child = fork(entry, [], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: { ...options.environment, KATARI_WORKER: JSON.stringify(configuration) },
    });
    serveBusOverIpc(bus, child);
    return child;
  };
  return supervise({ name, start, ready: saysReady, logger });
}

/** The channel also carries the bus: only the worker's own word counts. */
function saysReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const hear = (message: unknown): void => {
      if (typeof message !== "object" || message === null || !("ready" in message)) return;
      child.off("message", hear);
      resolve();
    };
    child.on("message", hear);
  });
}

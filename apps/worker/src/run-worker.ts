import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { Deployment, TaskQueue } from "@katari/contracts";
import { AppError } from "@katari/core";
import { createKserveHttpServer } from "@katari/inference";
import { connectRabbitMq } from "@katari/queue/rabbitmq";
import { openStore } from "@katari/storage";
import { createLogger } from "@katari/telemetry";
import { createWorker } from "./worker.ts";

export interface RunWorkerOptions {
  readonly deployment: Deployment;
  /** Slots by queue, over those of the deployment. */
  readonly slots?: Partial<Record<TaskQueue, number>>;
  /** Ends the worker: it takes no more, and what runs ends or is handed back. */
  readonly signal: AbortSignal;
  /** The worker takes tasks. */
  readonly onReady: (workerId: string) => void;
}

/**
 * A worker as a process of its own, on RabbitMQ, a shared object store and the model servers of its lanes. Resolves when
 * the signal has come and nothing is held any more. Throws AppError that names the setting to change.
 */
export async function runWorker(options: RunWorkerOptions): Promise<void> {
  const { deployment, signal } = options;
  const slots = options.slots ?? deployment.worker?.slots ?? {};
  checkSlots(slots, deployment);
  const logger = createLogger({ name: "worker", level: deployment.logLevel });
  const workerId = `${hostname()}-${process.pid}`;
  // A folder of its own, so that it can go as a whole: what a killed worker leaves is the machine's to sweep.
  const parent = deployment.worker?.scratchFolder ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const scratchFolder = await mkdtemp(join(parent, "katari-worker-"));
  const closers: (() => Promise<unknown>)[] = [() => rm(scratchFolder, { recursive: true, force: true })];
  try {
    const bus = await connectRabbitMq({
      url: deployment.bus.url,
      setting: "KATARI_BUS_URL",
      name: "worker",
      logger,
      signal,
    });
    closers.push(() => bus.close());
    const objects = await openStore(deployment.objects, signal);
    closers.push(async () => objects.close());
    const { store } = objects;
    const open = (url: string | undefined) => {
      if (url === undefined) return undefined;
      const server = createKserveHttpServer({ url });
      closers.push(() => server.close());
      return server;
    };
    const cpu = open(deployment.modelServers.cpu);
    const gpu = open(deployment.modelServers.gpu);
    const worker = createWorker({
      bus,
      store,
      modelServers: { ...(cpu === undefined ? {} : { cpu }), ...(gpu === undefined ? {} : { gpu }) },
      slots,
      workerId,
      logger,
      scratchFolder,
    });
    closers.push(() => worker.stop());
    await worker.start();
    options.onReady(workerId);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
  } finally {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
  }
}

/** A worker that would wait for ever without a word is refused at its start. */
function checkSlots(slots: Partial<Record<TaskQueue, number>>, { modelServers }: Deployment): void {
  const wanted = Object.entries(slots).filter(([, count]) => count > 0);
  if (wanted.length === 0)
    throw new AppError("invalid-argument", "The worker has no slots, so it would take no task.", {
      cure: "Name them with --lanes, such as --lanes speech.cpu.bulk=2,import=1, or in worker.slots of the file.",
    });
  for (const lane of ["cpu", "gpu"] as const) {
    const speaks = wanted.some(([queue]) => queue.startsWith(`speech.${lane}.`));
    if (!speaks || modelServers[lane] !== undefined) continue;
    const setting = `KATARI_MODEL_SERVER_${lane.toUpperCase()} (modelServers.${lane})`;
    throw new AppError("invalid-argument", `The setting ${setting} is missing.`, {
      cure: `Name the model server of the ${lane} lane, or give this worker no slots of that lane.`,
    });
  }
}

import { join } from "node:path";
import { AppError } from "@katari/core";
import { createKserveHttpServer } from "@katari/inference";
import { connectBusOverIpc } from "@katari/queue";
import { createFileStore } from "@katari/storage";
import { createLogger } from "@katari/telemetry";
import { readConfiguration } from "./configuration.ts";
import { createWorker } from "./worker.ts";

/**
 * The worker as a child of the process that keeps the bus. It says `{"ready":true}` over IPC when it takes tasks, ends
 * on SIGTERM after what runs has ended or was handed back, and ends at once when the channel closes: then its parent is
 * gone, and whatever it held is taken back by the next one.
 */
async function main(): Promise<void> {
  const configuration = readConfiguration(process.env);
  const logger = createLogger({ level: configuration.logLevel, name: "worker" });
  // A terminal's Ctrl-C reaches the whole process group; the parent decides about this process by SIGTERM.
  process.on("SIGINT", () => undefined);
  process.on("disconnect", () => process.exit(0));

  const bus = await connectBusOverIpc(process);
  const store = await createFileStore({ root: configuration.dataFolder });
  const modelServer = createKserveHttpServer({ url: configuration.modelServerUrl });
  const worker = createWorker({
    bus,
    store,
    modelServers: { cpu: modelServer },
    slots: configuration.queues,
    workerId: configuration.workerId ?? `worker-${process.pid}`,
    logger,
    scratchFolder: join(configuration.dataFolder, "temporary"),
  });

  const stop = async (): Promise<void> => {
    await worker.stop();
    await bus.close();
    await modelServer.close();
    process.exit(0);
  };
  process.once("SIGTERM", () => {
    stop().catch((error: unknown) => {
      logger.error({ err: error }, "worker did not stop cleanly");
      process.exit(1);
    });
  });
  await worker.start();
  process.send?.({ ready: true });
  logger.info({ queues: configuration.queues }, "worker takes tasks");
}

main().catch((error: unknown) => {
  const { code, message, cure } = AppError.from(error);
  process.stderr.write(`${JSON.stringify({ name: "worker", error: { code, message, cure } })}\n`);
  process.exit(1);
});

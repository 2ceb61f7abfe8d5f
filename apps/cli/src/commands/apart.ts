import { readDeployment, taskQueues, type Deployment, type TaskQueue } from "@katari/contracts";
import { AppError } from "@katari/core";
import { runServer } from "@katari/server";
import { runWorker } from "@katari/worker";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { version } from "../version.ts";
import { voiceCatalogue } from "../voice-catalogue.ts";

interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** `katari server`: the application alone, on PostgreSQL, RabbitMQ and a shared store. Says one line of JSON when ready. */
export async function server(options: { config?: string }, { environment, signal }: Context): Promise<void> {
  const studioFolder = fileURLToPath(new URL("../../../studio/dist", import.meta.url));
  await runServer({
    deployment: await deploymentOf(options.config, environment),
    voices: voiceCatalogue(environment),
    version: version(),
    ...(existsSync(studioFolder) ? { studioFolder } : {}),
    signal,
    onReady: (url) => process.stdout.write(`${JSON.stringify({ ready: true, url })}\n`),
  });
}

/** `katari worker`: takes tasks of the named queues. Says one line of JSON when ready. */
export async function worker(
  options: { config?: string; lanes?: string },
  { environment, signal }: Context,
): Promise<void> {
  await runWorker({
    deployment: await deploymentOf(options.config, environment),
    ...(options.lanes === undefined ? {} : { slots: parseLanes(options.lanes) }),
    signal,
    onReady: (workerId) => process.stdout.write(`${JSON.stringify({ ready: true, workerId })}\n`),
  });
}

async function deploymentOf(path: string | undefined, environment: Context["environment"]): Promise<Deployment> {
  if (path === undefined) return readDeployment(undefined, environment);
  const file = await readFile(path, "utf8").catch((error: unknown) => {
    throw new AppError("not-found", `The configuration file ${path} cannot be read.`, {
      cure: "Check the path that --config names.",
      cause: error,
    });
  });
  return readDeployment(file, environment);
}

/** `speech.cpu.bulk=2,import` as slots by queue; a queue without a number gets one. */
function parseLanes(text: string): Partial<Record<TaskQueue, number>> {
  const slots: Partial<Record<TaskQueue, number>> = {};
  for (const entry of text.split(",")) {
    const [name = "", count = "1", ...more] = entry.trim().split("=");
    const queue = taskQueues.find((each) => each === name);
    if (queue === undefined || more.length > 0 || !/^\d{1,3}$/u.test(count))
      throw new AppError("invalid-argument", `"${entry.trim()}" is not a queue with its slots.`, {
        cure: `Write --lanes speech.cpu.bulk=2,import=1. The queues are ${taskQueues.join(", ")}.`,
      });
    slots[queue] = Number(count);
  }
  return slots;
}

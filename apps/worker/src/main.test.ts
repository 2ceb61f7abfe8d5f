import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createMemoryBus, serveBusOverIpc } from "@katari/queue";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startSilentModelServer } from "./fixtures/silent-model-server.ts";
import {
  killProcess,
  openStudio,
  readResults,
  startFixture,
  startModelServer,
  until,
  type ModelServerProcess,
  type Studio,
} from "./fixtures/studio.ts";
import type { WorkerConfiguration } from "./configuration.ts";

// The process as it is shipped: the built entry, not this source.
const entry = fileURLToPath(new URL("../dist/main.js", import.meta.url));

let studio: Studio;
let server: ModelServerProcess;
beforeAll(async () => {
  studio = await openStudio();
  server = await startModelServer(studio);
});
afterAll(async () => {
  await server.kill();
  await studio.dispose();
});
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function configuration(modelServerUrl: string): WorkerConfiguration {
  const dataFolder = join(studio.folder, "data");
  const queues = { "speech.cpu.bulk": 1, "speech.cpu.interactive": 1, import: 1, export: 1 };
  return { dataFolder, modelServerUrl, queues, logLevel: "silent" };
}

/** Forks a worker that reaches the bus over IPC, and waits until it takes tasks. */
async function forkWorker(bus: ReturnType<typeof createMemoryBus>, modelServerUrl: string) {
  const environment = { ...process.env, KATARI_WORKER: JSON.stringify(configuration(modelServerUrl)) };
  const child: ChildProcess = fork(entry, [], { env: environment });
  cleanups.push(() => killProcess(child));
  const busServer = serveBusOverIpc(bus, child);
  await new Promise<void>((resolve, reject) => {
    child.on("message", (message) => (message as { ready?: boolean }).ready && resolve());
    child.once("exit", (code) => reject(new Error(`worker ended with ${code}`)));
  });
  return { child, busServer };
}

describe("the worker's process", () => {
  it("speaks a task that came over IPC", async () => {
    const bus = createMemoryBus();
    const results = await readResults(bus);
    await forkWorker(bus, server.url);
    await bus.publish("speech.cpu.bulk", studio.speechTask({ taskId: "over-ipc" }));
    expect((await results.next("over-ipc", "succeeded", "failed", "retry")).outcome.kind).toBe("succeeded");
  });

  it("leaves its task to the next worker when it is killed", async () => {
    const silent = await startSilentModelServer();
    cleanups.push(() => silent.close());
    const bus = createMemoryBus();
    const results = await readResults(bus);
    const first = await forkWorker(bus, silent.url);
    const task = studio.speechTask({ taskId: "orphan", phonemes: "tə mə." });
    await bus.publish("speech.cpu.bulk", task);
    await until(() => silent.waiting() === 1);
    await killProcess(first.child);
    await first.busServer.ended;
    expect(await bus.depth("speech.cpu.bulk")).toBe(1);
    await forkWorker(bus, server.url);
    const { outcome } = await results.next("orphan", "succeeded", "failed", "retry");
    expect(outcome).toMatchObject({ kind: "succeeded", result: { rendered: true } });
  });

  it("ends with 0 on SIGTERM, having handed back what it did not finish", async () => {
    const bus = createMemoryBus();
    const announced: unknown[] = [];
    bus.listen("announcements", (body) => announced.push(body));
    const { child } = await forkWorker(bus, server.url);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    await until(() => announced.some((each) => !(each as { ready: boolean }).ready));
  });

  it("does not end on a terminal's Ctrl-C: its parent decides", async () => {
    const bus = createMemoryBus();
    const results = await readResults(bus);
    const { child } = await forkWorker(bus, server.url);
    child.kill("SIGINT");
    await bus.publish("speech.cpu.bulk", studio.speechTask({ taskId: "after", phonemes: "ta mə." }));
    expect((await results.next("after", "succeeded", "failed", "retry")).outcome.kind).toBe("succeeded");
    expect(child.exitCode).toBeNull();
  });

  it("ends when its parent is killed", async () => {
    const parent = startFixture("worker-parent.mjs", [entry, JSON.stringify(configuration(server.url))]);
    cleanups.push(() => killProcess(parent));
    const [{ pid }] = (await once(parent, "message")) as [{ pid: number }];
    await killProcess(parent);
    await until(() => !isAlive(pid));
    expect(isAlive(pid)).toBe(false);
  });

  it("says what is wrong with its configuration", async () => {
    const child = fork(entry, [], {
      env: { ...process.env, KATARI_WORKER: "{}" },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    cleanups.push(() => killProcess(child));
    let errors = "";
    child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    expect((await once(child, "close"))[0]).toBe(1);
    expect(JSON.parse(errors)).toMatchObject({ error: { code: "invalid-argument" } });
    expect(errors).toContain("dataFolder");
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createKserveHttpServer, InferenceError, type ModelServer } from "@katari/inference";
import { writeProbeModel } from "@katari/testkit/models";
import type { Tensor } from "@katari/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createModelServer, type ModelServerHandle, type ModelServerOptions } from "./model-server.ts";

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "katari-supervision-"));
  path = join(folder, "probe.onnx");
  await writeProbeModel(path);
});
afterAll(() => rm(folder, { recursive: true }));

const int64 = (name: string, value: number): Tensor => ({
  name,
  datatype: "INT64",
  shape: [1],
  data: new Uint8Array(BigInt64Array.of(BigInt(value)).buffer),
});
/** 32 × 4,000³ operations: many seconds on one thread. */
const longWork = 4_000;
const probe = (count: number, work = 1): Tensor[] => [int64("count", count), int64("work", work)];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** Waits until `condition` holds; the test's own time limit ends it. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(20);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "ok",
    (error: unknown) => (error instanceof InferenceError ? error.code : String(error)),
  );

async function withServer(
  options: Partial<ModelServerOptions>,
  story: (parts: { server: ModelServerHandle; client: ModelServer; metrics: () => Promise<string> }) => Promise<void>,
): Promise<void> {
  const models = [{ name: "probe", version: "1", path }];
  const server = await createModelServer({ models, instances: 1, drainMs: 0, ...options });
  const client = createKserveHttpServer({ url: server.url });
  const metrics = async (): Promise<string> => (await fetch(`${server.url}/metrics`)).text();
  try {
    await story({ server, client, metrics });
  } finally {
    await client.close();
    await server.close();
  }
}

const infer = (
  client: ModelServer,
  inputs: readonly Tensor[],
  options: Partial<Parameters<ModelServer["infer"]>[3]> = {},
): ReturnType<ModelServer["infer"]> => client.infer("probe", "1", inputs, { timeoutMs: 60_000, ...options });

describe("supervision of children", () => {
  it("replaces a child that was killed in a run, and one that was killed while idle, and counts both", () =>
    withServer({}, async ({ server, client, metrics }) => {
      const [first = 0] = server.childPids();
      const running = codeOf(infer(client, probe(1, longWork)));
      await pause(300);
      process.kill(first, "SIGKILL");
      expect(await running).toBe("model-failed");
      await infer(client, probe(1));
      const [second = 0] = server.childPids();
      expect(second).not.toBe(first);
      process.kill(second, "SIGKILL");
      await until(() => server.childPids()[0] !== second);
      await infer(client, probe(1));
      expect(await metrics()).toMatch(/katari_child_restarts_total\{.*reason="crash".*\} 2/);
    }));

  it("kills a child that hangs over its request's deadline, and goes on with another", () =>
    withServer({}, async ({ server, client, metrics }) => {
      const [first = 0] = server.childPids();
      expect(await codeOf(infer(client, probe(1, longWork), { timeoutMs: 300 }))).toBe("timeout");
      await until(() => !isAlive(first));
      await infer(client, probe(1));
      expect(await metrics()).toMatch(/katari_child_restarts_total\{.*reason="killed".*\} 1/);
    }));

  it("recycles a child after its number of runs, without a failed request", () =>
    withServer({ limits: { maxRuns: 3 } }, async ({ server, client, metrics }) => {
      const pids = new Set<number>();
      for (let round = 0; round < 7; round++) {
        await infer(client, probe(1));
        await client.ready("probe", "1");
        for (const pid of server.childPids()) pids.add(pid);
      }
      // Runs 1–3, 4–6 and 7 are three children.
      expect(pids.size).toBe(3);
      expect(await metrics()).toMatch(/katari_child_restarts_total\{.*reason="recycled".*\} 2/);
    }));

  it("recycles a child whose memory is above the limit", () =>
    withServer({ limits: { maxRssBytes: 1 } }, async ({ client, metrics }) => {
      for (let round = 0; round < 3; round++) await infer(client, probe(1));
      await until(async () => (await metrics()).includes('reason="recycled"'));
      expect(await metrics()).toMatch(/katari_child_restarts_total\{.*reason="recycled".*\} [23]/);
    }));

  it("puts a new copy of a version in place under load without a failed request", () =>
    withServer({ drainMs: 30_000 }, async ({ server, client }) => {
      const enough = new AbortController();
      const ends: string[] = [];
      const load = (async () => {
        while (!enough.signal.aborted) ends.push(await codeOf(infer(client, probe(10, 100))));
      })();
      const before = server.childPids();
      await server.loadModel({ name: "probe", version: "1", path });
      enough.abort();
      await load;
      expect(new Set(ends)).toEqual(new Set(["ok"]));
      expect(server.childPids()).not.toEqual(before);
      await until(() => before.every((pid) => !isAlive(pid)));
    }));
});

describe("scheduling", () => {
  it("refuses what the queue cannot hold, saying when to come back", () =>
    withServer({ queueLimit: 1 }, async ({ server, client }) => {
      const cancel = new AbortController();
      const running = codeOf(infer(client, probe(1, longWork), { timeoutMs: 4_000, signal: cancel.signal }));
      await pause(200);
      const waiting = codeOf(infer(client, probe(1), { signal: cancel.signal }));
      await pause(100);
      expect(await codeOf(infer(client, probe(1)))).toBe("unavailable");
      const body = {
        inputs: [1, 1].map((value, at) => ({
          name: ["count", "work"][at],
          shape: [1],
          datatype: "INT64",
          data: [value],
        })),
      };
      const refused = await fetch(`${server.url}/v2/models/probe/infer`, {
        method: "POST",
        body: JSON.stringify(body),
      });
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      cancel.abort();
      expect(await running).toBe("cancelled");
      expect(await waiting).toBe("cancelled");
    }));

  it("gives the next free instance to who is listening", () =>
    withServer({}, async ({ client }) => {
      const order: string[] = [];
      const note = (name: string) => (): void => void order.push(name);
      const running = infer(client, probe(1, 1_200)).then(note("running"));
      await pause(150);
      const bulk = [1, 2].map((at) => infer(client, probe(1, 300)).then(note(`bulk ${at}`)));
      await pause(50);
      const listening = infer(client, probe(1, 300), { interactive: true }).then(note("listening"));
      await Promise.all([running, ...bulk, listening]);
      expect(order.indexOf("listening")).toBeLessThan(order.indexOf("bulk 1"));
      expect(order.indexOf("bulk 1")).toBeLessThan(order.indexOf("bulk 2"));
    }));

  it("drops a request from the queue when its client goes away", () =>
    withServer({}, async ({ client, metrics }) => {
      const running = codeOf(infer(client, probe(1, longWork), { timeoutMs: 2_500 }));
      await pause(200);
      const gone = new AbortController();
      const waiting = codeOf(infer(client, probe(1), { signal: gone.signal }));
      await until(async () => /katari_inference_queue_length\{.*priority="bulk".*\} 1/.test(await metrics()));
      gone.abort();
      await until(async () => /katari_inference_queue_length\{.*priority="bulk".*\} 0/.test(await metrics()));
      expect(await waiting).toBe("cancelled");
      expect(await running).toBe("timeout");
      expect(await metrics()).toMatch(/katari_inference_total\{.*model="probe".*\} 0/);
    }));
});

describe("a client that goes away during its run", () => {
  it("lets the run end while nobody listens, and the server goes on", () =>
    withServer({}, async ({ client, metrics }) => {
      const gone = new AbortController();
      const running = codeOf(infer(client, probe(1, 1_200), { signal: gone.signal }));
      await until(async () => /katari_model_instances\{.*state="busy".*\} 1/.test(await metrics()));
      gone.abort();
      expect(await running).toBe("cancelled");
      await until(async () => /katari_inference_total\{.*model="probe".*\} 1/.test(await metrics()));
      expect(await codeOf(infer(client, probe(1)))).toBe("ok");
    }));

  it("gives its place to someone who is listening when the rest would be long", () =>
    withServer({}, async ({ client, metrics }) => {
      const gone = new AbortController();
      const running = codeOf(infer(client, probe(1, longWork), { signal: gone.signal }));
      await until(async () => /katari_model_instances\{.*state="busy".*\} 1/.test(await metrics()));
      gone.abort();
      expect(await running).toBe("cancelled");
      expect(await codeOf(infer(client, probe(1), { interactive: true }))).toBe("ok");
      expect(await metrics()).toMatch(/katari_child_restarts_total\{.*reason="killed".*\} 1/);
    }));
});

describe("the process", () => {
  const entry = fileURLToPath(new URL("../dist/main.js", import.meta.url));

  async function started(
    ...options: string[]
  ): Promise<{ process: ChildProcess; url: string; exit: Promise<number | null> }> {
    const child = spawn(process.execPath, [entry, "--model", `probe@1=${path}`, "--instances", "1", ...options], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    const exit = new Promise<number | null>((resolve) => child.on("exit", resolve));
    let text = "";
    for await (const piece of child.stdout as AsyncIterable<Buffer>) {
      text += piece.toString();
      if (text.includes("\n")) break;
    }
    const line = JSON.parse(text) as { ready: boolean; url: string };
    expect(line.ready).toBe(true);
    return { process: child, url: line.url, exit };
  }

  /** Ids of a process's children, from /proc. */
  async function childrenOf(pid: number): Promise<number[]> {
    const { readFile } = await import("node:fs/promises");
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.trim().split(" ").filter(Boolean).map(Number);
  }

  it.skipIf(process.platform !== "linux")("takes its children along when it is killed, also in a run", async () => {
    const server = await started();
    const client = createKserveHttpServer({ url: server.url });
    const children = await childrenOf(server.process.pid ?? 0);
    expect(children).toHaveLength(1);
    const running = codeOf(infer(client, probe(1, longWork)));
    await pause(300);
    server.process.kill("SIGKILL");
    await server.exit;
    expect(await running).toBe("unavailable");
    await until(() => children.every((pid) => !isAlive(pid)));
    await client.close();
  });

  it("ends accepted requests before it ends on SIGTERM, and takes no new ones", async () => {
    const server = await started();
    const client = createKserveHttpServer({ url: server.url });
    const accepted = codeOf(infer(client, probe(1, 1_500)));
    await pause(200);
    server.process.kill("SIGTERM");
    await until(async () => !(await client.ready("probe", "1")));
    expect(["unavailable", "ok"]).toContain(await codeOf(infer(client, probe(1))));
    expect(await accepted).toBe("ok");
    expect(await server.exit).toBe(0);
    await client.close();
  });

  it("ends with its parent's pipe when it was asked to", async () => {
    const server = await started("--exit-with-parent");
    server.process.stdin?.end();
    expect(await server.exit).toBe(0);
  });
});

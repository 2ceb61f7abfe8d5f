import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { AppError } from "@katari/core";
import { describeMessageBus } from "@katari/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { connectBusOverIpc } from "./ipc-client.ts";
import { serveBusOverIpc } from "./ipc-server.ts";
import { createMemoryBus } from "./memory-bus.ts";

const children: ChildProcess[] = [];
function start(name: string): ChildProcess {
  const child = fork(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)), { serialization: "json" });
  children.push(child);
  return child;
}
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
afterEach(async () => {
  await Promise.all(children.splice(0).map(end));
});

describeMessageBus("over IPC, kept by a forked process", async () => {
  const host = start("bus-host.mjs");
  return { bus: await connectBusOverIpc(host), deliveryLimit: 2, dispose: () => end(host) };
});

/** Waits for messages of a consumer process that match, in the order in which they come. */
function messagesOf(child: ChildProcess): (count: number) => Promise<Record<string, unknown>[]> {
  const seen: Record<string, unknown>[] = [];
  child.on("message", (message: Record<string, unknown>) => {
    if (!("mark" in message)) seen.push(message);
  });
  return async (count) => {
    while (seen.length < count) await once(child, "message");
    return seen;
  };
}

describe("a bus shared with a child process", () => {
  it("delivers again, counted, what a killed child held, and nothing that it had not seen", async () => {
    const bus = createMemoryBus({ deliveryLimit: 2 });
    const child = start("bus-consumer.mjs");
    const messages = messagesOf(child);
    const server = serveBusOverIpc(bus, child);
    await messages(1);
    for (const body of ["a", "b", "c"]) await bus.publish("import", body);
    await messages(3);
    await end(child);
    await server.ended;
    const counts = new Map<unknown, number>();
    await bus.consume("import", { slots: 1 }, ({ body, deliveryCount }) => {
      counts.set(body, deliveryCount);
      return Promise.resolve("ack");
    });
    while (counts.size < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(Object.fromEntries(counts)).toEqual({ a: 1, b: 1, c: 0 });
    await bus.close();
  });

  it("puts what kills every child on the dead-letter queue", async () => {
    const bus = createMemoryBus({ deliveryLimit: 2 });
    await bus.publish("import", "killer");
    // Given out with counts 0, 1 and 2; the third loss is beyond the limit of two.
    for (const deliveryCount of [0, 1, 2]) {
      const child = start("bus-consumer.mjs");
      const messages = messagesOf(child);
      const server = serveBusOverIpc(bus, child);
      expect(await messages(2)).toContainEqual({ took: "killer", deliveryCount });
      await end(child);
      await server.ended;
    }
    expect(await bus.depth("import")).toBe(0);
    expect(await bus.depth("import.dead")).toBe(1);
    await bus.close();
  });

  it("tells the child at once when its parent is gone", async () => {
    const host = start("bus-host.mjs");
    const bus = await connectBusOverIpc(host);
    const begun = new Promise<AbortSignal>((resolve) => {
      void bus.consume("import", { slots: 1 }, async (_, signal) => {
        resolve(signal);
        await new Promise((done) => signal.addEventListener("abort", done));
        return "ack";
      });
    });
    await bus.publish("import", 1);
    const signal = await begun;
    await end(host);
    if (!signal.aborted) await once(signal, "abort");
    const refused = await bus.publish("import", 2).catch((error: unknown) => AppError.from(error));
    expect(refused).toMatchObject({ code: "unavailable", retryable: true });
  });

  it("is unavailable in a process that has no channel", async () => {
    const child = start("bus-host.mjs");
    await end(child);
    await expect(connectBusOverIpc(child)).rejects.toMatchObject({ code: "unavailable" });
  });
});

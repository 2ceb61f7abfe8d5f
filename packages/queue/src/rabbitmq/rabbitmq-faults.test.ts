import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { AppError } from "@katari/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { noRabbitMq, startBroker, type Broker } from "../../../../tests/support/rabbitmq.ts";
import type { Delivery, MessageBus } from "../message-bus.ts";
import { connectRabbitMq, type RabbitMqOptions } from "./connect.ts";
import type { BusLogger } from "./link.ts";
import { purgeAll, silent } from "./testing/raw.ts";

/** Waits until the condition holds; the test's own time limit ends it. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** A log that can be read. */
function createMemoryLog(): { readonly logger: BusLogger; readonly lines: string[] } {
  const lines: string[] = [];
  const say = (facts: object, message: string): void => void lines.push(`${message} ${JSON.stringify(facts)}`);
  return { logger: { info: say, warn: say }, lines };
}

describe.skipIf(noRabbitMq)(`RabbitMQ fails${noRabbitMq === undefined ? "" : `: ${noRabbitMq}`}`, () => {
  let broker: Broker;
  beforeAll(async () => {
    broker = await startBroker();
    await (await connectRabbitMq({ url: broker.url(), logger: silent, deliveryLimit: 2 })).close();
    // 3.10.8 never again finds a leader for a quorum queue that was made less than a second before kill -9 (seen each time
    // after 0.3 s, never after 3 s); that is not what is tested here.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
  });
  afterAll(() => broker.remove());

  const open: MessageBus[] = [];
  const connect = async (options: Partial<RabbitMqOptions> = {}): Promise<MessageBus> => {
    const bus = await connectRabbitMq({ url: broker.url(), logger: silent, deliveryLimit: 2, ...options });
    open.push(bus);
    return bus;
  };
  afterEach(async () => {
    await Promise.all(open.splice(0).map((bus) => bus.close()));
    await purgeAll(broker.url());
  });

  it("kill -9 and a new start in the middle: what was confirmed arrives, what was not is an error", async () => {
    const sender = await connect({ publishTimeoutMs: 400 });
    const taker = await connect();
    const seen = new Set<number>();
    const broken: boolean[] = [];
    await taker.consume("import", { slots: 4 }, async ({ body }, signal) => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (signal.aborted) broken.push(true);
      seen.add(Number(body));
      return "ack";
    });
    const confirmed = new Set<number>();
    const refused: AppError[] = [];
    let next = 0;
    let isDone = false;
    const publishOn = async (): Promise<void> => {
      for (;;) {
        if (isDone) return;
        const id = next++;
        try {
          await sender.publish("import", id);
          confirmed.add(id);
        } catch (error) {
          refused.push(AppError.from(error));
        }
      }
    };
    const publishing = [1, 2, 3, 4, 5, 6, 7, 8].map(publishOn);
    await until(() => confirmed.size > 300);
    await broker.kill();
    await until(() => refused.length > 8);
    const before = confirmed.size;
    await broker.start();
    await until(() => confirmed.size > before + 300);
    isDone = true;
    await Promise.all(publishing);
    await until(async () => (await taker.depth("import")) === 0);
    await until(() => [...confirmed].every((id) => seen.has(id)));
    for (const error of refused) {
      expect(error).toMatchObject({ code: "unavailable", retryable: true });
      expect(error.message).toMatch(/RabbitMQ/);
    }
    expect(next).toBe(confirmed.size + refused.length);
  });

  it("closed in order and started again: handlers hear that their message is not theirs, and it comes again", async () => {
    const bus = await connect();
    const seen: Delivery[] = [];
    const aborted: unknown[] = [];
    await bus.consume("import", { slots: 1 }, async (delivery, signal) => {
      seen.push(delivery);
      if (seen.length > 1) return "ack";
      if (!signal.aborted) await once(signal, "abort");
      aborted.push(signal.reason);
      return "ack";
    });
    await bus.publish("import", "twice", { headers: { traceparent: "00-a-b-01" } });
    await until(() => seen.length === 1);
    await broker.stop();
    await broker.start();
    await until(() => seen.length === 2);
    expect(aborted).toEqual([expect.objectContaining({ code: "unavailable", retryable: true })]);
    expect(seen[1]).toMatchObject({ body: "twice", headers: { traceparent: "00-a-b-01" } });
    await until(async () => (await bus.depth("import")) === 0);
  });

  it("its data deleted: everything is made anew under the same epoch, and messages pass again", async () => {
    const { logger, lines } = createMemoryLog();
    const bus = await connect({ logger });
    const { epoch } = bus;
    const heard: unknown[] = [];
    const seen: unknown[] = [];
    bus.listen("control", (body) => void heard.push(body));
    await bus.consume("export", { slots: 1 }, ({ body }) => {
      seen.push(body);
      return Promise.resolve("ack");
    });
    await bus.publish("import", "goes with the data");
    await broker.stop();
    await broker.wipe();
    await broker.start();
    await bus.publish("export", "after");
    await until(() => seen.length === 1);
    expect(await bus.depth("import")).toBe(0);
    await until(async () => {
      await bus.broadcast("control", "again").catch(() => undefined);
      return heard.length > 0;
    });
    expect(bus.epoch).toBe(epoch);
    expect(lines.some((line) => line.startsWith("Connected to RabbitMQ again."))).toBe(true);
  });

  it("a queue deleted while it is used: the message is returned as an error, and later ones arrive", async () => {
    const bus = await connect();
    const seen: unknown[] = [];
    await bus.consume("import", { slots: 1 }, ({ body }) => {
      seen.push(body);
      return Promise.resolve("ack");
    });
    await broker.ctl("delete_queue", "katari.export");
    await expect(bus.publish("export", 1)).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
      message: expect.stringContaining("katari.export was missing") as string,
    });
    await until(() =>
      bus.publish("export", 2).then(
        () => true,
        () => false,
      ),
    );
    expect(await bus.depth("export")).toBe(1);
    // One with a consumer: it comes back as well.
    await broker.ctl("delete_queue", "katari.import");
    await until(async () => {
      await bus.publish("import", 3).catch(() => undefined);
      return seen.length > 0;
    });
  });

  it("counts what a killed process held, and moves what kills every process to the dead-letter queue", async () => {
    const bus = await connect();
    const counts: number[] = [];
    const innocents = new Map<unknown, number>();
    await bus.publish("import", "killer");
    const take = async (): Promise<void> => {
      const path = fileURLToPath(new URL("../fixtures/rabbitmq-consumer.mjs", import.meta.url));
      const child = fork(path, [broker.url(), "1"]);
      const exited = once(child, "exit");
      await new Promise<void>((resolve) => {
        child.on("message", (message: { took?: string; deliveryCount?: number }) => {
          if (message.took !== "killer") return;
          counts.push(message.deliveryCount ?? -1);
          resolve();
        });
      });
      child.kill("SIGKILL");
      await exited;
    };
    // Given out with counts 0, 1 and 2; the third loss is beyond the limit of two.
    for (let i = 0; i < 3; i++) await take();
    expect(counts).toEqual([0, 1, 2]);
    await until(async () => (await bus.depth("import.dead")) === 1);
    await bus.publish("import", "innocent");
    await bus.consume("import", { slots: 1 }, ({ body, deliveryCount }) => {
      innocents.set(body, deliveryCount);
      return Promise.resolve("ack");
    });
    await until(() => innocents.size === 1);
    expect([...innocents]).toEqual([["innocent", 0]]);
    const dead: Delivery[] = [];
    await bus.consume("import.dead", { slots: 1 }, (delivery) => {
      dead.push(delivery);
      return Promise.resolve("ack");
    });
    await until(() => dead.length === 1);
    expect(dead[0]).toMatchObject({ body: "killer", deliveryCount: 0 });
  });

  it("another password while it runs: it says so, goes on trying, and is back when it may", async () => {
    const { logger, lines } = createMemoryLog();
    const bus = await connect({ logger, publishTimeoutMs: 300 });
    await broker.ctl("change_password", "katari", "other");
    await broker.ctl("close_all_connections", "maintenance");
    await until(() => lines.some((line) => line.includes("with this password")));
    const refused = await bus.publish("import", 1).catch((error: unknown) => AppError.from(error));
    expect(refused).toMatchObject({ code: "unavailable", retryable: true });
    expect((refused as AppError).message).toContain("with this password");
    await broker.ctl("change_password", "katari", "katari");
    await until(async () => {
      await bus.publish("import", 2).catch(() => undefined);
      return (await bus.depth("import").catch(() => 0)) > 0;
    });
  });

  it("short of memory: publishing is an error that says so, acknowledging goes on, and it all comes back", async () => {
    const bus = await connect({ publishTimeoutMs: 500 });
    await bus.publish("import", "before");
    await broker.ctl("set_vm_memory_high_watermark", "0.00001");
    // A server blocks a connection when it next publishes.
    await until(async () => {
      const refused = await bus.publish("export", 1).catch((error: unknown) => AppError.from(error));
      return refused instanceof AppError && refused.message.includes("low on memory");
    });
    const seen: unknown[] = [];
    const consumer = await bus.consume("import", { slots: 1 }, ({ body }) => {
      seen.push(body);
      return Promise.resolve("ack");
    });
    await until(() => seen.length === 1);
    await consumer.cancel();
    expect(await bus.depth("import")).toBe(0);
    await broker.ctl("set_vm_memory_high_watermark", "0.4");
    await until(() =>
      bus.publish("export", 2).then(
        () => true,
        () => false,
      ),
    );
  });

  it("closes while the server is away, when its handlers have ended", async () => {
    const bus = await connect();
    let isAborted = false;
    const begun = new Promise<void>((resolve) => {
      void bus.consume("import", { slots: 1 }, async (_, signal) => {
        resolve();
        if (!signal.aborted) await once(signal, "abort");
        isAborted = true;
        return "ack";
      });
    });
    await bus.publish("import", 1);
    await begun;
    await broker.stop();
    await bus.close();
    expect(isAborted).toBe(true);
    await expect(bus.publish("import", 2)).rejects.toMatchObject({ code: "unavailable" });
    await broker.start();
  });

  it("a handler that works for many heartbeats keeps its connection", async () => {
    const { logger, lines } = createMemoryLog();
    const bus = await connect({ url: broker.url({ query: "?heartbeat=1" }), logger });
    let runs = 0;
    let isDone = false;
    await bus.consume("import", { slots: 1 }, async () => {
      runs++;
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      isDone = true;
      return "ack";
    });
    await bus.publish("import", 1);
    await until(() => isDone);
    await bus.close();
    expect(await (await connect()).depth("import")).toBe(0);
    expect(runs).toBe(1);
    expect(lines).toEqual([]);
  });
});

import { deadLetterQueue, maxMessageBytes } from "@katari/contracts";
import { AppError } from "@katari/core";
import type { Acknowledgement, Delivery, MessageBus } from "@katari/queue";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

export interface MessageBusUnderTest {
  readonly bus: MessageBus;
  /** How often the bus gives a message out again before it goes to the dead-letter queue. */
  readonly deliveryLimit: number;
  /** Ends what `setup` started; the bus is closed already. */
  dispose(): Promise<void>;
}

/** A promise with its handles, for tests that decide when a handler answers. */
function gate<T = void>(): { readonly opened: Promise<T>; open(value: T): void } {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Waits until `condition` holds; the test's own time limit ends it. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 2));
}

async function codeOf(work: Promise<unknown>): Promise<{ code: string; retryable: boolean } | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    const { code, retryable } = AppError.from(error);
    return { code, retryable };
  }
}

/** Everything that the docblock of `MessageBus` promises, for one adapter. */
export function describeMessageBus(name: string, setup: () => Promise<MessageBusUnderTest>): void {
  describe(`MessageBus: ${name}`, () => {
    let under: MessageBusUnderTest;
    let bus: MessageBus;
    beforeEach(async () => {
      under = await setup();
      bus = under.bus;
    });
    afterEach(async () => {
      await bus.close();
      await under.dispose();
    });

    it("delivers a message with its headers, once", async () => {
      const seen: Delivery[] = [];
      await bus.publish("import", { name: "朗読", list: [1, null] }, { headers: { traceparent: "00-1" } });
      await bus.consume("import", { slots: 1 }, (delivery) => {
        seen.push(delivery);
        return Promise.resolve("ack");
      });
      await bus.publish("import", "second");
      await until(() => seen.length === 2);
      expect(seen[0]?.body).toEqual({ name: "朗読", list: [1, null] });
      expect(seen[0]?.headers["traceparent"]).toBe("00-1");
      expect(seen[0]?.deliveryCount).toBe(0);
      expect(await bus.depth("import")).toBe(0);
    });

    it("keeps a message until somebody consumes", async () => {
      await bus.publish("export", 1);
      await bus.publish("export", 2);
      expect(await bus.depth("export")).toBe(2);
      expect(await bus.depth("import")).toBe(0);
    });

    it("gives each message to one of several consumers", async () => {
      const seen: unknown[] = [];
      const take = ({ body }: Delivery): Promise<Acknowledgement> => {
        seen.push(body);
        return Promise.resolve("ack");
      };
      await bus.consume("import", { slots: 2 }, take);
      await bus.consume("import", { slots: 2 }, take);
      const sent = Array.from({ length: 50 }, (_, i) => i);
      await Promise.all(sent.map((i) => bus.publish("import", i)));
      await until(() => seen.length >= 50);
      expect(seen.toSorted((a, b) => Number(a) - Number(b))).toEqual(sent);
    });

    it("loses nothing of much that is published at once", async () => {
      const sent = Array.from({ length: 1_000 }, (_, i) => i);
      const seen = new Set<unknown>();
      await Promise.all(sent.map((i) => bus.publish("import", { i, filler: "a".repeat(1_000) })));
      expect(await bus.depth("import")).toBe(sent.length);
      await bus.consume("import", { slots: 16 }, ({ body }) => {
        seen.add((body as { i: number }).i);
        return Promise.resolve("ack");
      });
      await until(() => seen.size === sent.length);
    });

    it("runs no more handlers at a time than there are slots", async () => {
      const hold = gate();
      let running = 0;
      let most = 0;
      let done = 0;
      await bus.consume("import", { slots: 3 }, async () => {
        most = Math.max(most, ++running);
        if (running === 3) hold.open();
        await hold.opened;
        running--;
        done++;
        return "ack";
      });
      for (let i = 0; i < 12; i++) await bus.publish("import", i);
      await until(() => done === 12);
      expect(most).toBe(3);
    });

    it("delivers again, counted, when a handler throws", async () => {
      const counts: number[] = [];
      await bus.consume("import", { slots: 1 }, ({ deliveryCount }) => {
        counts.push(deliveryCount);
        return counts.length < 3 ? Promise.reject(new Error("lost")) : Promise.resolve("ack");
      });
      await bus.publish("import", "x");
      await until(() => counts.length === 3);
      expect(counts).toEqual([0, 1, 2]);
    });

    it("puts a message on the dead-letter queue after the delivery limit, and goes on with the others", async () => {
      const counts: number[] = [];
      const others: unknown[] = [];
      await bus.consume("import", { slots: 1 }, ({ body, deliveryCount }) => {
        if (body !== "killer") {
          others.push(body);
          return Promise.resolve("ack");
        }
        counts.push(deliveryCount);
        return Promise.reject(new Error("lost"));
      });
      await bus.publish("import", "killer", { headers: { why: "test" } });
      await bus.publish("import", "innocent");
      const dead = gate<Delivery>();
      await bus.consume(deadLetterQueue("import"), { slots: 1 }, (delivery) => {
        dead.open(delivery);
        return Promise.resolve("ack");
      });
      expect(await dead.opened).toMatchObject({ body: "killer", headers: { why: "test" } });
      expect(counts).toEqual(Array.from({ length: under.deliveryLimit + 1 }, (_, i) => i));
      await until(() => others.length === 1);
    });

    it("requeues without counting", async () => {
      const counts: number[] = [];
      await bus.consume("import", { slots: 1 }, ({ deliveryCount }) => {
        counts.push(deliveryCount);
        return Promise.resolve(counts.length <= under.deliveryLimit + 2 ? "requeue" : "ack");
      });
      await bus.publish("import", "x");
      await until(() => counts.length === under.deliveryLimit + 3);
      expect(new Set(counts)).toEqual(new Set([0]));
    });

    it("on cancel waits for the handlers that run, and leaves the rest on the queue", async () => {
      const begun = gate();
      const hold = gate();
      let runs = 0;
      const consumer = await bus.consume("import", { slots: 1 }, async () => {
        runs++;
        begun.open();
        await hold.opened;
        return "ack";
      });
      for (let i = 0; i < 4; i++) await bus.publish("import", i);
      await begun.opened;
      let cancelled = false;
      const cancelling = consumer.cancel().finally(() => {
        cancelled = true;
      });
      await bus.publish("import", 4);
      expect(cancelled).toBe(false);
      hold.open();
      await cancelling;
      expect(runs).toBe(1);
      await until(async () => (await bus.depth("import")) === 4);
    });

    it("does not count what a consumer holds as waiting", async () => {
      const begun = gate();
      const hold = gate();
      await bus.consume("import", { slots: 1 }, async () => {
        begun.open();
        await hold.opened;
        return "ack";
      });
      await bus.publish("import", 1);
      await begun.opened;
      expect(await bus.depth("import")).toBe(0);
      hold.open();
    });

    it("refuses a message above the size limit, and takes one at it", async () => {
      // A JSON string has its two quotation marks beside the content.
      await bus.publish("import", "a".repeat(maxMessageBytes - 2));
      expect(await codeOf(bus.publish("import", "a".repeat(maxMessageBytes - 1)))).toMatchObject({ code: "too-large" });
      // The limit is in bytes: あ takes three.
      expect(await codeOf(bus.publish("import", "あ".repeat(6_000)))).toMatchObject({ code: "too-large" });
      expect(await bus.depth("import")).toBe(1);
    });

    it("refuses a body that JSON cannot hold, and a consumer without slots", async () => {
      expect(await codeOf(bus.publish("import", undefined))).toMatchObject({ code: "invalid-argument" });
      const consume = bus.consume("import", { slots: 0 }, () => Promise.resolve("ack"));
      expect(await codeOf(consume)).toMatchObject({ code: "invalid-argument" });
    });

    it("does not publish when the caller has cancelled", async () => {
      const signal = AbortSignal.abort();
      expect(await codeOf(bus.publish("import", 1, { signal }))).toMatchObject({ code: "cancelled" });
      expect(await bus.depth("import")).toBe(0);
    });

    it("says a broadcast to every listener, the sender included, until it stops listening", async () => {
      const heard: [string, unknown][] = [];
      const stop = bus.listen("control", (body) => void heard.push(["a", body]));
      bus.listen("control", (body) => void heard.push(["b", body]));
      bus.listen("announcements", (body) => void heard.push(["other", body]));
      await bus.broadcast("control", { n: 1 });
      await until(() => heard.length === 2);
      stop();
      await bus.broadcast("control", { n: 2 });
      await until(() => heard.length === 3);
      expect(heard.map(([who]) => who).sort()).toEqual(["a", "b", "b"]);
      expect(heard.at(-1)).toEqual(["b", { n: 2 }]);
    });

    it("shares no object between publisher and consumer", async () => {
      const body = { list: [1] };
      const sent = bus.publish("import", body);
      body.list.push(2);
      await sent;
      const got = gate<unknown>();
      await bus.consume("import", { slots: 1 }, (delivery) => {
        got.open(delivery.body);
        return Promise.resolve("ack");
      });
      expect(await got.opened).toEqual({ list: [1] });
    });

    it("has an epoch that stays", () => {
      expect(bus.epoch).toMatch(/\S/);
      expect(bus.epoch).toBe(bus.epoch);
    });

    it("rejects as unavailable after close, which waits for running handlers", async () => {
      const begun = gate();
      const hold = gate();
      let answered = false;
      await bus.consume("import", { slots: 1 }, async () => {
        begun.open();
        await hold.opened;
        answered = true;
        return "ack";
      });
      await bus.publish("import", 1);
      await begun.opened;
      const closing = bus.close();
      hold.open();
      await closing;
      expect(answered).toBe(true);
      expect(await codeOf(bus.publish("import", 2))).toEqual({ code: "unavailable", retryable: true });
    });
  });
}

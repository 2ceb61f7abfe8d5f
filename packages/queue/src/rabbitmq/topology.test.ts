import { resultQueue, taskQueues } from "@katari/contracts";
import { describe, expect, it } from "vitest";
import { describeBroadcastQueue, describeTopology, qosOf } from "./topology.ts";

const topology = describeTopology({ deliveryLimit: 6 });
const everyQueue = [...topology.queues, describeBroadcastQueue("some-id").queue];

describe("the topology on RabbitMQ", () => {
  it("has every queue of the system and a dead-letter queue for each", () => {
    const names = topology.queues.map(({ queue }) => queue);
    expect(new Set(names).size).toBe(names.length);
    for (const name of [...taskQueues, resultQueue]) {
      expect(names).toContain(`katari.${name}`);
      expect(names).toContain(`katari.${name}.dead`);
    }
    expect(names).toHaveLength(2 * (taskQueues.length + 1));
  });

  it("routes every queue by its name, and every dead letter to a queue that exists and is bound", () => {
    const bound = new Set(
      topology.bindings.map(({ exchange, queue, routingKey }) => [exchange, queue, routingKey].join(" ")),
    );
    for (const { queue, arguments: args } of topology.queues) {
      expect(bound).toContain(`katari.queues ${queue} ${queue}`);
      if (queue.endsWith(".dead")) continue;
      expect(args["x-dead-letter-routing-key"]).toBe(`${queue}.dead`);
      expect(bound).toContain(`${args["x-dead-letter-exchange"]} ${queue}.dead ${queue}.dead`);
    }
    const exchanges = topology.exchanges.map(({ exchange }) => exchange);
    for (const { exchange } of topology.bindings) expect(exchanges).toContain(exchange);
  });

  it("keeps to names under one prefix, so that one permission pattern is enough", () => {
    const names = [...everyQueue.map(({ queue }) => queue), ...topology.exchanges.map(({ exchange }) => exchange)];
    for (const name of names) expect(name).toMatch(/^katari\./);
  });

  /**
   * What 4.x takes away or changes (RabbitMQ's release notes of 4.0 to 4.3 and its page of deprecated features): mirrored
   * classic queues, transient queues that are not exclusive, prefetch counted per channel, a delivery limit of 20 where
   * none is said. What a quorum queue refuses in every version: exclusive, not durable, auto-delete, priorities by
   * `x-max-priority`, lazy mode.
   */
  describe("holds nothing that 4.x refuses", () => {
    it("says the type of every queue", () => {
      for (const { arguments: args } of everyQueue) expect(["quorum", "classic"]).toContain(args["x-queue-type"]);
    });

    it("has no mirrored, lazy or priority queue", () => {
      for (const { arguments: args } of everyQueue)
        for (const name of Object.keys(args)) expect(name).not.toMatch(/^x-(ha-|queue-mode|queue-master|max-priority)/);
    });

    it("shares no transient queue", () => {
      for (const { durable, exclusive } of everyQueue) expect(durable || exclusive).toBe(true);
    });

    it("has quorum queues that are durable, shared and stay", () => {
      for (const { durable, exclusive, autoDelete, arguments: args } of topology.queues) {
        expect(args["x-queue-type"]).toBe("quorum");
        expect({ durable, exclusive, autoDelete }).toEqual({ durable: true, exclusive: false, autoDelete: false });
      }
    });

    it("says the delivery limit of every quorum queue, and asks for reject-publish where dead letters are kept", () => {
      for (const { arguments: args } of topology.queues) {
        expect(args["x-delivery-limit"]).toBeGreaterThan(0);
        if ("x-dead-letter-strategy" in args) expect(args["x-overflow"]).toBe("reject-publish");
      }
    });

    it("counts the prefetch per consumer: one message more than there are slots", () => {
      expect(qosOf(4)).toEqual({ prefetchCount: 5, global: false });
    });

    it("has durable exchanges of the plain types", () => {
      for (const { type, durable } of topology.exchanges) {
        expect(["direct", "fanout"]).toContain(type);
        expect(durable).toBe(true);
      }
    });
  });
});

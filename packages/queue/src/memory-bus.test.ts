import { describeMessageBus } from "@katari/testkit";
import { describe, expect, it } from "vitest";
import { createMemoryBus } from "./memory-bus.ts";

describeMessageBus("in process", () =>
  Promise.resolve({
    bus: createMemoryBus({ deliveryLimit: 2 }),
    deliveryLimit: 2,
    dispose: () => Promise.resolve(),
  }),
);

describe("createMemoryBus", () => {
  it("has a new epoch each start, since it lost its content", () => {
    expect(createMemoryBus().epoch).not.toBe(createMemoryBus().epoch);
  });
});

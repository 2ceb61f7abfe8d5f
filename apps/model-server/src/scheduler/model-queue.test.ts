import { manualClock } from "@katari/core";
import { describe, expect, it } from "vitest";
import { createModelQueue } from "./model-queue.ts";

interface Request {
  readonly name: string;
  readonly interactive: boolean;
}
const bulk = (name: string): Request => ({ name, interactive: false });
const interactive = (name: string): Request => ({ name, interactive: true });

function queueWith(limit = 10) {
  const clock = manualClock();
  const queue = createModelQueue<Request>({ limit, ageingMs: 1_000, clock });
  const takeAll = (): string[] => {
    const names: string[] = [];
    for (let next = queue.next(); next; next = queue.next()) names.push(next.name);
    return names;
  };
  return { clock, queue, takeAll };
}

describe("a model's queue", () => {
  it("gives interactive requests before bulk ones, each kind in order of arrival", () => {
    const { queue, takeAll } = queueWith();
    for (const request of [bulk("b1"), interactive("i1"), bulk("b2"), interactive("i2")]) queue.add(request);
    expect(takeAll()).toEqual(["i1", "i2", "b1", "b2"]);
  });

  it("lets a bulk request go first once it has waited longer than the head start", () => {
    const { clock, queue, takeAll } = queueWith();
    queue.add(bulk("b1"));
    clock.advance(1_000);
    queue.add(interactive("i1"));
    clock.advance(1);
    queue.add(bulk("b2"));
    queue.add(interactive("i2"));
    // i1 came 1,000 ms after b1, which is not yet longer than the head start; i2 came 1,001 ms after it.
    expect(takeAll()).toEqual(["i1", "b1", "i2", "b2"]);
  });

  it("refuses what is above its limit, of either kind", () => {
    const { queue } = queueWith(2);
    expect(queue.add(bulk("b1"))).toBe(true);
    expect(queue.add(interactive("i1"))).toBe(true);
    expect(queue.add(bulk("b2"))).toBe(false);
    expect(queue.add(interactive("i2"))).toBe(false);
    expect(queue.length).toBe(2);
  });

  it("takes a request out from anywhere, once", () => {
    const { queue, takeAll } = queueWith();
    const middle = bulk("b2");
    for (const request of [bulk("b1"), middle, bulk("b3")]) queue.add(request);
    expect(queue.remove(middle)).toBe(true);
    expect(queue.remove(middle)).toBe(false);
    expect(takeAll()).toEqual(["b1", "b3"]);
  });

  it("counts each kind", () => {
    const { queue } = queueWith();
    for (const request of [bulk("b1"), bulk("b2"), interactive("i1")]) queue.add(request);
    expect([queue.lengthOf("bulk"), queue.lengthOf("interactive"), queue.length]).toEqual([2, 1, 3]);
    expect(queue.removeAll()).toHaveLength(3);
    expect(queue.length).toBe(0);
  });
});

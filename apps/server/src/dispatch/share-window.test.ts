import { array, assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { shareWindow, windowOf, type Claimant } from "./share-window.ts";

const claimant = (id: string, owner_id: string, due: number, over: Partial<Claimant> = {}): Claimant => ({
  id,
  owner_id,
  due,
  priority: 100,
  virtual_time: 0,
  ...over,
});

describe("sharing a lane's window", () => {
  it("gives two owners the same, however much each has waiting", () => {
    const { shares } = shareWindow([claimant("a", "ann", 1_000), claimant("b", "bob", 20)], 16, 0);
    expect([...shares]).toEqual([
      ["a", 8],
      ["b", 8],
    ]);
  });

  it("gives an owner no more for having many conversions, and the urgent one first", () => {
    const many = [1, 2, 3].map((n) => claimant(`a${n}`, "ann", 4, { priority: n === 3 ? 50 : 100 }));
    const { shares } = shareWindow([...many, claimant("b", "bob", 100)], 10, 0);
    expect(Object.fromEntries(shares)).toEqual({ a3: 4, a1: 1, b: 5 });
  });

  it("lets nobody save up while away", () => {
    // Ann was served 100 times; Bob comes now, and does not get 100 before her.
    const { shares } = shareWindow([claimant("a", "ann", 50, { virtual_time: 100 }), claimant("b", "bob", 50)], 10, 99);
    expect(Object.fromEntries(shares)).toEqual({ a: 5, b: 5 });
  });

  it("gives what one leaves to the other", () => {
    const { shares } = shareWindow([claimant("a", "ann", 2), claimant("b", "bob", 100)], 16, 0);
    expect(Object.fromEntries(shares)).toEqual({ a: 2, b: 14 });
  });

  it("fills the window, and over many rounds serves owners who always have work alike", () => {
    const rounds = array(integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 30 });
    assert(
      property(rounds, integer({ min: 2, max: 5 }), (windows, owners) => {
        const served = new Map<string, number>();
        const times = new Map<string, number>();
        let laneTime = 0;
        for (const free of windows) {
          const all = Array.from({ length: owners }, (_, n) =>
            claimant(`c${n}`, `o${n}`, free, { virtual_time: times.get(`o${n}`) ?? 0 }),
          );
          const result = shareWindow(all, free, laneTime);
          expect([...result.shares.values()].reduce((sum, n) => sum + n, 0)).toBe(free);
          for (const [id, n] of result.shares) served.set(id, (served.get(id) ?? 0) + n);
          for (const [owner, time] of result.ownerTimes) times.set(owner, time);
          laneTime = result.laneTime;
        }
        const counts = Array.from({ length: owners }, (_, n) => served.get(`c${n}`) ?? 0);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("is never closed, so that a lane without workers can wake its scaler", () => {
    expect(windowOf(0, 4, 256)).toBe(16);
    expect(windowOf(10, 4, 256)).toBe(40);
    expect(windowOf(1_000, 4, 256)).toBe(256);
  });
});

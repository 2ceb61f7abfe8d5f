import { describe, expect, it } from "vitest";
import { createBoundedCache } from "./bounded-cache.ts";

describe("createBoundedCache", () => {
  it("makes a value once for all who ask", async () => {
    const cache = createBoundedCache<number>(2);
    let made = 0;
    const get = () => cache.get("a", () => Promise.resolve(++made));
    expect(await Promise.all([get(), get(), get()])).toEqual([1, 1, 1]);
  });

  it("keeps what was asked for last", async () => {
    const cache = createBoundedCache<number>(2);
    let made = 0;
    const get = (key: string) => cache.get(key, () => Promise.resolve(++made));
    await get("a");
    await get("b");
    await get("a");
    await get("c");
    expect(await get("a")).toBe(1);
    expect(await get("b")).toBe(4);
  });

  it("does not keep a failure, and makes anew what was forgotten", async () => {
    const cache = createBoundedCache<string>(2);
    await expect(cache.get("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    expect(await cache.get("a", () => Promise.resolve("here"))).toBe("here");
    cache.forget("a");
    expect(await cache.get("a", () => Promise.resolve("again"))).toBe("again");
  });
});

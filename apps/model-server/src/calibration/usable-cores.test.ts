import { describe, expect, it } from "vitest";
import { coresOfQuota, usableCores } from "./usable-cores.ts";

describe("usable cores", () => {
  it("reads the quota of control groups v2: microseconds of processor time, then the period", () => {
    expect(coresOfQuota("max 100000\n")).toBeUndefined();
    expect(coresOfQuota("200000 100000\n")).toBe(2);
    expect(coresOfQuota("350000 100000")).toBe(3);
    expect(coresOfQuota("50000 100000")).toBe(1);
    expect(coresOfQuota("")).toBeUndefined();
  });

  it("is at least one", () => {
    expect(usableCores()).toBeGreaterThanOrEqual(1);
  });
});

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** Processors that this process may really use: those of the machine, or fewer where a container has a quota. */
export function usableCores(): number {
  let limit = "max";
  try {
    limit = readFileSync("/sys/fs/cgroup/cpu.max", "utf8");
  } catch {
    // No control groups (version 2) here: no quota.
  }
  return Math.min(availableParallelism(), coresOfQuota(limit) ?? Infinity);
}

/** Cores that a `cpu.max` line of control groups v2 grants, at least 1; undefined where it sets no limit. */
export function coresOfQuota(line: string): number | undefined {
  const [quota, period] = line.trim().split(/\s+/).map(Number);
  if (!quota || !period || !Number.isFinite(quota / period)) return undefined;
  return Math.max(1, Math.floor(quota / period));
}

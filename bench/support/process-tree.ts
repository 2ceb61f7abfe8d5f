import { readdir, readFile } from "node:fs/promises";

/**
 * Proportional memory of a process and all that it started, in bytes: pages shared between them count once (Pss of
 * /proc/<pid>/smaps_rollup).
 */
async function treeMemory(pid: number): Promise<number> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/u.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    // The second field is the name in brackets and may hold anything: the parent is the second field after it.
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    if (Number.isInteger(parent)) parents.set(Number(name), parent);
  }
  const belongs = (process: number): boolean => {
    for (let at: number | undefined = process; at !== undefined && at > 1; at = parents.get(at))
      if (at === pid) return true;
    return false;
  };
  let bytes = 0;
  for (const process of parents.keys()) {
    if (!belongs(process)) continue;
    const rollup = await readFile(`/proc/${process}/smaps_rollup`, "utf8").catch(() => "");
    bytes += Number(/^Pss:\s+(\d+) kB/mu.exec(rollup)?.[1] ?? 0) * 1024;
  }
  return bytes;
}

/** Samples a tree's memory until it is stopped; gives the highest sum that was seen. */
export function watchMemory(pid: number, intervalMs = 250): { stop(): number } {
  let peakBytes = 0;
  let busy = false;
  const look = async (): Promise<void> => {
    peakBytes = Math.max(peakBytes, await treeMemory(pid));
  };
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    void look().finally(() => {
      busy = false;
    });
  }, intervalMs);
  return {
    stop() {
      clearInterval(timer);
      return peakBytes;
    },
  };
}

import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A working folder that no living process has touched for this long was left by one that was killed. */
const staleMs = 60 * 60 * 1000;

/** Makes a working folder of our own below the cache, on the same file system as what will be installed. */
export async function makeWorkFolder(cacheDir: string): Promise<string> {
  const folder = join(cacheDir, "work", `${process.pid}-${randomBytes(6).toString("hex")}`);
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Removes working folders of processes that died on this machine, or that are old. */
export async function sweepWorkFolders(cacheDir: string): Promise<void> {
  const parent = join(cacheDir, "work");
  for (const name of await readdir(parent).catch(() => [])) {
    const folder = join(parent, name);
    const found = await stat(folder).catch(() => undefined);
    const pid = Number.parseInt(name, 10);
    const old = found !== undefined && Date.now() - found.mtimeMs > staleMs;
    if (old || (Number.isInteger(pid) && !isRunning(pid))) await rm(folder, { recursive: true, force: true });
  }
}

/** Whether a process of this machine lives. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

/**
 * Puts a finished folder in place in one step: whoever looks sees the old one, none for an instant, or the new one,
 * never half of one. `aside` is a free path on the same file system for the old one.
 */
export async function replaceFolder(finished: string, target: string, aside: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  try {
    await rename(finished, target);
    return;
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
  await rename(target, aside);
  await rename(finished, target);
  await rm(aside, { recursive: true, force: true });
}

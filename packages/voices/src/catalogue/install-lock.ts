import { AppError } from "@katari/core";
import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "./staging.ts";

const beatMs = 2_000;
/** A holder on another machine (a shared cache) that has not touched its lock for so long is gone. */
const silentMs = 60_000;
const waitMs = 250;

/**
 * One installation at a time in a cache folder: others wait, and then find their work done. The lock only saves work;
 * files are checked by hash and put in place by rename, so that two installers at once would harm nothing. A holder
 * that was killed is told by its process id, or by its silence.
 */
export async function withInstallLock<T>(cacheDir: string, signal: AbortSignal | undefined, work: () => Promise<T>) {
  await mkdir(cacheDir, { recursive: true });
  const lock = join(cacheDir, "install.lock");
  const own = join(cacheDir, `install.lock.${process.pid}.${randomBytes(6).toString("hex")}`);
  await writeFile(own, JSON.stringify({ pid: process.pid, host: hostname() }));
  try {
    while (!(await taken(own, lock))) {
      signal?.throwIfAborted();
      if (await isAbandoned(lock)) await rename(lock, `${own}.stale`).catch(ignoreMissing);
      else await sleep(waitMs, undefined, signal ? { signal } : {});
    }
    const beat = setInterval(() => {
      const now = new Date();
      utimes(lock, now, now).catch(() => undefined);
    }, beatMs);
    beat.unref();
    try {
      return await work();
    } finally {
      clearInterval(beat);
      await rm(lock, { force: true });
    }
  } finally {
    await rm(own, { force: true });
    await rm(`${own}.stale`, { force: true });
  }
}

/** A hard link is made by one process only, complete with its content. */
async function taken(own: string, lock: string): Promise<boolean> {
  try {
    await link(own, lock);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "EEXIST") return false;
    throw AppError.from(error);
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(lock);
    const holder = JSON.parse(await readFile(lock, "utf8")) as { pid?: unknown; host?: unknown };
    if (holder.host === hostname() && typeof holder.pid === "number") return !isRunning(holder.pid);
    return Date.now() - mtimeMs > silentMs;
  } catch (error) {
    ignoreMissing(error);
    return false;
  }
}

function ignoreMissing(error: unknown): void {
  if ((error as { code?: string }).code !== "ENOENT") throw AppError.from(error);
}

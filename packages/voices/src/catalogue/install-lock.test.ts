import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withInstallLock } from "./install-lock.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "katari-lock-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the installation lock", () => {
  it("lets one installation work at a time and leaves nothing behind", async () => {
    let working = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++working);
      await sleep(20);
      working--;
    };
    await Promise.all(Array.from({ length: 4 }, () => withInstallLock(folder, undefined, work)));
    expect(most).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it("is free again when its holder was killed", async () => {
    const child = spawn(process.execPath, ["-e", "setTimeout(() => undefined, 60000)"]);
    const ended = new Promise((resolve) => child.once("close", resolve));
    await writeFile(join(folder, "install.lock"), JSON.stringify({ pid: child.pid, host: hostname() }));
    child.kill("SIGKILL");
    await ended;
    expect(await withInstallLock(folder, undefined, () => Promise.resolve("worked"))).toBe("worked");
    expect(await readdir(folder)).toEqual([]);
  });

  it("can be waited for only as long as one wants", async () => {
    await withInstallLock(folder, undefined, async () => {
      const waiting = withInstallLock(folder, AbortSignal.timeout(50), () => Promise.resolve());
      await expect(waiting).rejects.toThrow(/abort|timeout/iu);
    });
  });

  it("is given back when the work fails", async () => {
    await expect(withInstallLock(folder, undefined, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await withInstallLock(folder, undefined, () => Promise.resolve(1))).toBe(1);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inUse, isHolder, lockDataFolder } from "./lock.ts";

describe("lock of the data folder", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "katari-lock-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("is held by one, and tells the others who that is", async () => {
    const lock = await lockDataFolder(folder, "serve");
    if (isHolder(lock)) throw new Error("the folder is free");
    const other = await lockDataFolder(folder, "narrate");
    expect(other).toMatchObject({ pid: process.pid, command: "serve" });
    if (isHolder(other)) expect(inUse(folder, other).message).toContain(String(process.pid));
    await lock.release();
    const again = await lockDataFolder(folder, "narrate");
    expect(isHolder(again)).toBe(false);
    if (!isHolder(again)) await again.release();
  });

  it("is free again at once when its holder was killed", async () => {
    const module = new URL("../../dist/data-folder/lock.js", import.meta.url).href;
    const script = `const { lockDataFolder } = await import(${JSON.stringify(module)});
      await lockDataFolder(${JSON.stringify(folder)}, "serve"); console.log("held"); setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    expect(await lockDataFolder(folder, "narrate")).toMatchObject({ pid: holder.pid });
    holder.kill("SIGKILL");
    await once(holder, "exit");
    const lock = await lockDataFolder(folder, "narrate");
    expect(isHolder(lock)).toBe(false);
    if (!isHolder(lock)) await lock.release();
  });

  it("is one lock for every path to the folder", async () => {
    const lock = await lockDataFolder(folder, "serve");
    expect(isHolder(await lockDataFolder(join(folder, "..", folder.split("/").at(-1) ?? ""), "narrate"))).toBe(true);
    if (!isHolder(lock)) await lock.release();
  });
});

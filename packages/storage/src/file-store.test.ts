import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@katari/core";
import { describeObjectStore } from "@katari/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { createFileStore } from "./file-store.ts";

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "katari-store-"));
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

describeObjectStore("files", async () => {
  const root = await mkdtemp(join(tmpdir(), "katari-store-"));
  return { store: await createFileStore({ root }), dispose: () => rm(root, { recursive: true, force: true }) };
});

describe("createFileStore", () => {
  it("leaves no half object when the writer is killed, and sweeps its leftover once that is old", async () => {
    const root = await folder();
    const writer = fork(fileURLToPath(new URL("fixtures/endless-writer.mjs", import.meta.url)), [root]);
    await once(writer, "message");
    const exited = once(writer, "exit");
    writer.kill("SIGKILL");
    await exited;

    const store = await createFileStore({ root });
    expect(await store.head("big/object")).toBeUndefined();
    // The leftover is young: it might belong to a process that still writes.
    expect(await readdir(join(root, "temporary"))).toHaveLength(1);
    await createFileStore({ root, clock: { now: () => systemClock.now() + 7 * 3_600_000 } });
    expect(await readdir(join(root, "temporary"))).toHaveLength(0);
  });

  it("leaves no draft after a cancelled put", async () => {
    const root = await folder();
    const store = await createFileStore({ root });
    const cancelled = store.put("a", new Uint8Array(10), { signal: AbortSignal.abort() });
    await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
    expect(await readdir(join(root, "temporary"))).toEqual([]);
  });

  it("refuses a key that would be both an object and a folder", async () => {
    const store = await createFileStore({ root: await folder() });
    await store.put("a", new Uint8Array(1));
    await expect(store.put("a/b", new Uint8Array(1))).rejects.toMatchObject({ code: "invalid-argument" });
    await store.put("c/d", new Uint8Array(1));
    await expect(store.put("c", new Uint8Array(1))).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("says disk-full when the disk is, keeps the old object and leaves no draft", async (context) => {
    const root = await folder();
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", root], { stdio: "ignore" });
    } catch {
      context.skip("needs the right to mount a small file system");
    }
    cleanups.push(() => void execFileSync("umount", [root]));
    const store = await createFileStore({ root });
    await store.put("a", new TextEncoder().encode("old"));
    const tooMuch = store.put("a", new Uint8Array(2 * 1024 * 1024));
    await expect(tooMuch).rejects.toMatchObject({ code: "disk-full" });
    expect(await readFile(join(root, "objects/a"), "utf8")).toBe("old");
    expect(await readdir(join(root, "temporary"))).toEqual([]);
    await store.put("b", new Uint8Array(100_000));
  });
});

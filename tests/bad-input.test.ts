import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { finished, katari, makePlace, repository, startKatari, type Finished, type Place } from "./support/katari.ts";

import { quotedMessages } from "./support/quoted-messages.ts";
import { installTestVoice } from "./support/test-voice.ts";
import { story, wrongInputs, noNetwork } from "./support/wrong-input.ts";

/** Every message that these tests were told, as a person sees it. */
const seen: string[] = [];

/** The error that a command told as JSON; it is kept for the comparison with the troubleshooting page. */
function errorOf(result: Finished): { code: string; message: string; cure: string } {
  const parsed = JSON.parse(result.stdout) as { error: { code: string; message: string; cure: string } };
  seen.push(`Error: ${parsed.error.message}\n${parsed.error.cure}`);
  return parsed.error;
}

describe("wrong input", () => {
  let place: Place;
  beforeAll(async () => {
    place = await makePlace();
  });
  afterAll(() => place.remove());

  it.each(wrongInputs)("$name: exit $code, and what to do", async (row) => {
    const own = { ...place, folder: join(place.folder, `row-${wrongInputs.indexOf(row)}`) };
    await mkdir(own.folder);
    for (const [name, content] of Object.entries(row.files ?? {})) {
      await mkdir(join(own.folder, name, ".."), { recursive: true });
      await writeFile(join(own.folder, name), content);
    }
    const before = (await readdir(own.folder)).toSorted();
    const environment = { KATARI_CALLED_FROM: own.folder, ...row.environment };
    const result = await katari([...row.args, "--json"], own, environment);
    const error = errorOf(result);
    expect({ exit: result.code, error: error.code }).toEqual({ exit: row.code, error: row.error });
    expect(`${error.message} ${error.cure}`).toMatch(row.says);
    expect(error.cure.length).toBeGreaterThan(10);
    expect(`${error.message} ${error.cure}`).not.toMatch(/undefined|\[object|at .*\.js:\d|NaN/u);
    // A person's terminal is for people: what is told once is not logged as well.
    expect(result.stderr).toBe("");
    expect((await readdir(own.folder)).filter((name) => name !== "cache").toSorted()).toEqual(before);
  });

  it("speaks on stderr when JSON was not asked for", async () => {
    const result = await katari(["narrate", "nowhere.epub"], place);
    expect(result).toMatchObject({ code: 3, stdout: "" });
    seen.push(result.stderr);
    expect(result.stderr).toMatch(/^Error: There is no file .*nowhere\.epub\.\nCheck the path\.\n$/u);
  });

  it("an old Node: exit 12 before anything is installed", () => {
    const pretend = `Object.defineProperty(process.versions, "node", { value: "18.19.0" }); process.argv.push("--json"); await import(${JSON.stringify(pathToFileURL(join(repository, "scripts/run.mjs")).href)});`;
    const result = spawnSync(process.execPath, ["--input-type=module", "-e", pretend], { encoding: "utf8" });
    expect(result.status).toBe(12);
    seen.push(result.stderr);
    expect(result.stderr).toMatch(/needs Node 20\.20/u);
    expect(JSON.parse(result.stdout)).toMatchObject({ error: { code: "unsupported-platform" } });
  });

  it("a port that is taken: exit 11", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const result = await katari(["serve", "--port", String(port), "--json"], place);
    server.close();
    expect(result.code).toBe(11);
    expect(errorOf(result)).toMatchObject({ code: "port-taken", cure: expect.stringMatching(/--port/u) });
  });

  it("a damaged voice: exit 6, naming the file and the repair", async () => {
    const own = await makePlace({ ownCache: true });
    try {
      await installTestVoice(own);
      const file = join(own.folder, "cache", "voices", "test", "voice.json");
      await writeFile(file, `${await readFile(file, "utf8")} `);
      const result = await katari(["voices", "verify", "test", "--json"], own);
      expect(errorOf(result)).toMatchObject({ code: "voice-damaged", message: expect.stringContaining("voice.json") });
      expect(result.code).toBe(6);
    } finally {
      await own.remove();
    }
  });

  it("Ctrl-C: exit 130, and how to go on", async () => {
    await writeFile(join(place.folder, "stopped.txt"), story);
    const child = startKatari(["narrate", "stopped.txt", "--list"], place);
    const ended = finished(child);
    // The first line of progress: the application runs, the source is being read.
    if (child.stderr !== null) await once(child.stderr, "data");
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    seen.push(stderr.slice(stderr.indexOf("Error:")));
    expect(stderr).toMatch(/Stopping …\nError: Stopped\.\nRun the same command again/u);
    expect(code).toBe(130);
  });

  it("a data folder in use: exit 10, naming the process", async () => {
    const module = pathToFileURL(join(repository, "apps/cli/dist/data-folder/lock.js")).href;
    const script = `const { lockDataFolder } = await import(${JSON.stringify(module)}); await lockDataFolder(${JSON.stringify(place.data)}, "narrate"); console.log("held"); setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    await writeFile(join(place.folder, "a.txt"), story);
    const result = await katari(["narrate", "a.txt", "--json"], place);
    holder.kill("SIGKILL");
    expect(result.code).toBe(10);
    expect(errorOf(result).message).toContain(String(holder.pid));
  });

  describe("file systems that say no", () => {
    const mounts: string[] = [];
    const mount = async (name: string, options: string): Promise<string | undefined> => {
      const folder = join(place.folder, name);
      await mkdir(folder);
      if (spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]).status !== 0) return undefined;
      mounts.push(folder);
      return folder;
    };
    afterAll(() => {
      for (const folder of mounts) spawnSync("umount", ["-l", folder]);
    });

    it("a full disk: exit 9", async (context) => {
      const folder = await mount("small", "size=2m");
      if (folder === undefined) return context.skip("mounting a small file system is not allowed here");
      await writeFile(join(place.folder, "a.txt"), story);
      const result = await katari(["narrate", "a.txt", "--data", folder, "--json"], place);
      expect(errorOf(result)).toMatchObject({ code: "disk-full", cure: expect.stringMatching(/space/u) });
      expect(result.code).toBe(9);
    });

    it("too little space for a voice: exit 9 before anything is downloaded", async (context) => {
      const folder = await mount("small-cache", "size=2m");
      if (folder === undefined) return context.skip("mounting a small file system is not allowed here");
      const environment = { ...noNetwork, KATARI_CACHE: folder };
      const result = await katari(["voices", "add", "af_heart", "--json"], place, environment);
      expect(errorOf(result)).toMatchObject({ code: "disk-full", cure: expect.stringMatching(/KATARI_CACHE/u) });
      expect(result.code).toBe(9);
    });

    it("a read-only output folder: exit 8 before any work", async (context) => {
      const folder = await mount("locked", "ro,size=1m");
      if (folder === undefined) return context.skip("mounting a read-only file system is not allowed here");
      await writeFile(join(place.folder, "a.txt"), story);
      const result = await katari(["narrate", "a.txt", "-o", join(folder, "a.m4b"), "--json"], place);
      expect(errorOf(result)).toMatchObject({ code: "no-permission" });
      expect(result.code).toBe(8);
    });

    it("a read-only data folder: exit 8", async (context) => {
      const folder = await mount("locked-data", "ro,size=1m");
      if (folder === undefined) return context.skip("mounting a read-only file system is not allowed here");
      await writeFile(join(place.folder, "a.txt"), story);
      const result = await katari(["narrate", "a.txt", "--data", join(folder, "data"), "--json"], place);
      expect(errorOf(result)).toMatchObject({ code: "no-permission", cure: expect.stringMatching(/folder/u) });
      expect(result.code).toBe(8);
    });
  });

  it("the troubleshooting page quotes what people see", async (context) => {
    if (seen.length <= wrongInputs.length) return context.skip("needs what the tests before it saw");
    const page = await readFile(join(repository, "docs/troubleshooting.md"), "utf8");
    const unseen = quotedMessages(page).filter((quote) => !seen.some((message) => quote.pattern.test(message)));
    expect(unseen.map((quote) => quote.text)).toEqual([]);
  });
});

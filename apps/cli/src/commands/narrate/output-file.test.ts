import { AppError } from "@katari/core";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkOutput, chooseFormat, writeOutput, type OutputSettings } from "./output-file.ts";

const settings: OutputSettings = { sourceDigest: "aa", voice: "af_heart", speed: 1, format: "m4b", chapters: [1] };

async function* bytes(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe("output format", () => {
  it("comes from --format, else from the ending, else it is M4B", () => {
    expect(chooseFormat("mp3", undefined)).toBe("mp3");
    expect(chooseFormat(undefined, "a/b.FLAC")).toBe("flac");
    expect(chooseFormat(undefined, undefined)).toBe("m4b");
    expect(chooseFormat("wav", "book")).toBe("wav");
  });

  it.each([
    ["ogg", undefined],
    [undefined, "book.aac"],
    ["mp3", "book.m4b"],
  ])("refuses format %s with output %s", (format, output) => {
    expect(() => chooseFormat(format, output)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});

describe("output file", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "katari-output-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const options = (): { dataFolder: string; signal: AbortSignal } => ({
    dataFolder: join(folder, "data"),
    signal: new AbortController().signal,
  });

  it("replaces what Katari made from the same settings, and nothing else", async () => {
    const path = join(folder, "book.m4b");
    await writeOutput(path, bytes("one"), settings, options());
    await expect(checkOutput(path, settings, { ...options(), overwrite: false })).resolves.toBeUndefined();
    await expect(
      checkOutput(path, { ...settings, speed: 1.1 }, { ...options(), overwrite: false }),
    ).rejects.toMatchObject({
      code: "output-exists",
    });
    await writeFile(path, "changed by somebody");
    await expect(checkOutput(path, settings, { ...options(), overwrite: false })).rejects.toMatchObject({
      code: "output-exists",
    });
    await expect(checkOutput(path, settings, { ...options(), overwrite: true })).resolves.toBeUndefined();
  });

  it("leaves the old file and no other when the content breaks off", async () => {
    const path = join(folder, "book.m4b");
    await writeFile(path, "old");
    async function* broken(): AsyncIterable<Uint8Array> {
      yield Buffer.from("half");
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    }
    await expect(writeOutput(path, broken(), settings, options())).rejects.toMatchObject({ code: "disk-full" });
    expect(await readFile(path, "utf8")).toBe("old");
    expect(await readdir(folder)).toEqual(["book.m4b"]);
  });

  it("removes what a killed process left of this output, and nothing that another one is writing", async () => {
    const path = join(folder, "book.m4b");
    const ended = spawn(process.execPath, ["--version"], { stdio: "ignore" });
    await once(ended, "exit");
    const left = `.book.m4b.${ended.pid}.part`;
    const others = [`.book.m4b.${process.ppid}.part`, `.other.m4b.${ended.pid}.part`, ".book.m4b.notes.part"];
    for (const name of [left, ...others]) await writeFile(join(folder, name), "half");
    await writeOutput(path, bytes("one"), settings, options());
    expect(await readdir(folder)).toEqual(expect.arrayContaining(["book.m4b", ...others]));
    expect(await readdir(folder)).not.toContain(left);
  });

  it("knows its own output when it was killed right before or after the name changed", async () => {
    const path = join(folder, "book.m4b");
    const check = (): Promise<void> => checkOutput(path, settings, { ...options(), overwrite: false });
    await writeOutput(path, bytes("one"), settings, options());
    await rename(path, join(folder, "first.m4b"));
    await writeOutput(path, bytes("two"), settings, options());
    await expect(check()).resolves.toBeUndefined();
    // Killed before: the record is written, and the file in its place is still the one of the first time.
    await rename(join(folder, "first.m4b"), path);
    await expect(check()).resolves.toBeUndefined();
  });

  it("has its record before the file has its name", async () => {
    const path = join(folder, "book.m4b");
    // A folder in the way: the rename fails, as if the process had been killed before it.
    await mkdir(join(path, "in-the-way"), { recursive: true });
    await expect(writeOutput(path, bytes("one"), settings, options())).rejects.toBeInstanceOf(AppError);
    await rm(path, { recursive: true });
    await writeFile(path, "one");
    await expect(checkOutput(path, settings, { ...options(), overwrite: false })).resolves.toBeUndefined();
  });

  it("writes nothing when the content is not what was made", async () => {
    const path = join(folder, "book.m4b");
    await writeFile(path, "old");
    // sha256 of "one", as sha256sum prints it.
    const sha256 = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
    const work = writeOutput(path, bytes("0ne"), settings, { ...options(), sha256 });
    await expect(work).rejects.toMatchObject({
      code: "incomplete",
      cure: expect.stringContaining(`exports/${sha256}.m4b`),
    });
    expect(await readFile(path, "utf8")).toBe("old");
    expect(await readdir(folder)).toEqual(["book.m4b"]);
    await writeOutput(path, bytes("o", "ne"), settings, { ...options(), sha256 });
    expect(await readFile(path, "utf8")).toBe("one");
  });

  it("says that the folder is missing before any work is done", async () => {
    await expect(
      checkOutput(join(folder, "no", "b.m4b"), settings, { ...options(), overwrite: false }),
    ).rejects.toMatchObject({
      code: "not-found",
    });
  });
});

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
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

  it("says that the folder is missing before any work is done", async () => {
    await expect(
      checkOutput(join(folder, "no", "b.m4b"), settings, { ...options(), overwrite: false }),
    ).rejects.toMatchObject({
      code: "not-found",
    });
  });
});

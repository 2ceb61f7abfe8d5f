import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { katari, makePlace, repository, type Finished, type Place } from "./support/katari.ts";
import { epub, zip } from "./support/zip.ts";

/** What people really get wrong, each with the exit code of docs/cli.md and words that say what to do. */
interface Row {
  readonly name: string;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly args: readonly string[];
  readonly code: number;
  readonly error: string;
  /** What the message and the cure must speak of. */
  readonly says: RegExp;
}

const story = "It was dark. Nobody spoke.";
const drm = `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><enc:CipherData><enc:CipherReference URI="c0.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>`;
const whole = epub(["<p>One.</p>"]);

const rows: readonly Row[] = [
  {
    name: "no such file",
    args: ["narrate", "nowhere.epub"],
    code: 3,
    error: "not-found",
    says: /nowhere\.epub.*path/su,
  },
  { name: "a folder", args: ["narrate", "."], code: 2, error: "invalid-argument", says: /folder/u },
  {
    name: "an empty file",
    files: { "a.txt": "" },
    args: ["narrate", "a.txt"],
    code: 4,
    error: "empty-source",
    says: /empty/u,
  },
  {
    name: "a file of spaces",
    files: { "a.txt": " \n\n \t" },
    args: ["narrate", "a.txt"],
    code: 4,
    error: "empty-source",
    says: /no text|empty/iu,
  },
  {
    name: "a PDF",
    files: { "a.pdf": "%PDF-1.7\n%âãÏÓ\n1 0 obj" },
    args: ["narrate", "a.pdf"],
    code: 4,
    error: "unsupported-format",
    says: /PDF/u,
  },
  {
    name: "a PDF that is named a book",
    files: { "a.epub": "%PDF-1.7\n" },
    args: ["narrate", "a.epub"],
    code: 4,
    error: "unsupported-format",
    says: /PDF/u,
  },
  {
    name: "a Word file",
    files: { "a.docx": zip({ "[Content_Types].xml": "<x/>", "word/document.xml": "<x/>" }) },
    args: ["narrate", "a.docx"],
    code: 4,
    error: "unsupported-format",
    says: /Word|DOCX/u,
  },
  {
    name: "a picture",
    files: { "a.png": Buffer.from("89504e470d0a1a0a0000000d49484452", "hex") },
    args: ["narrate", "a.png"],
    code: 4,
    error: "unsupported-format",
    says: /image|picture|PNG/iu,
  },
  {
    name: "a zip that is no book",
    files: { "a.zip": zip({ "x.txt": "x" }) },
    args: ["narrate", "a.zip"],
    code: 4,
    error: "unsupported-format",
    says: /EPUB/u,
  },
  {
    name: "a program",
    files: { "a.bin": Buffer.from("7f454c4602010100000000000000000002003e00", "hex") },
    args: ["narrate", "a.bin"],
    code: 4,
    error: "unsupported-format",
    says: /EPUB|text/u,
  },
  {
    name: "half a download",
    files: { "a.epub": whole.subarray(0, whole.length >> 1) },
    args: ["narrate", "a.epub"],
    code: 4,
    error: "damaged-source",
    says: /damaged|download/iu,
  },
  {
    name: "an encrypted book",
    files: { "a.epub": epub(["<p>x</p>"], { "META-INF/encryption.xml": drm }) },
    args: ["narrate", "a.epub"],
    code: 4,
    error: "encrypted-source",
    says: /encrypted|DRM|protect/iu,
  },
  {
    name: "a book of pictures",
    files: { "a.epub": epub(['<img src="1.jpg" alt=""/>']) },
    args: ["narrate", "a.epub"],
    code: 4,
    error: "empty-source",
    says: /no text/iu,
  },
  {
    name: "a book without a spine",
    files: { "a.epub": epub([]) },
    args: ["narrate", "a.epub"],
    code: 4,
    error: "damaged-source",
    says: /spine|chapters|reading order/iu,
  },
  {
    name: "an unknown voice",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--voice", "morgan"],
    code: 5,
    error: "unknown-voice",
    says: /morgan.*af_heart/su,
  },
  {
    name: "an unknown format",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--format", "ogg"],
    code: 2,
    error: "invalid-argument",
    says: /ogg.*m4b/su,
  },
  {
    name: "an ending that Katari does not write",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "-o", "a.aac"],
    code: 2,
    error: "invalid-argument",
    says: /aac/u,
  },
  {
    name: "format and ending that disagree",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--format", "mp3", "-o", "a.m4b"],
    code: 2,
    error: "invalid-argument",
    says: /disagree/u,
  },
  {
    name: "a speed in words",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--speed", "fast"],
    code: 2,
    error: "invalid-argument",
    says: /0\.5 to 2/u,
  },
  {
    name: "a speed that nobody follows",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--speed", "9"],
    code: 2,
    error: "invalid-argument",
    says: /0\.5 to 2/u,
  },
  {
    name: "a chapter that is not there",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--chapters", "7"],
    code: 2,
    error: "invalid-argument",
    says: /no chapter 7.*--list/su,
  },
  {
    name: "a list of chapters that is none",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "--chapters", "one"],
    code: 2,
    error: "invalid-argument",
    says: /1,3-5/u,
  },
  {
    name: "an output folder that is missing",
    files: { "a.txt": story },
    args: ["narrate", "a.txt", "-o", "no/a.m4b"],
    code: 3,
    error: "not-found",
    says: /no.*does not exist/su,
  },
  {
    name: "an output that is a folder",
    files: { "a.txt": story, "d.m4b/x": "" },
    args: ["narrate", "a.txt", "-o", "d.m4b"],
    code: 7,
    error: "output-exists",
    says: /folder/u,
  },
  {
    name: "an output that is somebody's file",
    files: { "a.txt": story, "mine.m4b": "x" },
    args: ["narrate", "a.txt", "-o", "mine.m4b"],
    code: 7,
    error: "output-exists",
    says: /--overwrite/u,
  },
  {
    name: "a data folder that is a file",
    files: { "a.txt": story, taken: "x" },
    args: ["narrate", "a.txt", "--data", "taken"],
    code: 8,
    error: "no-permission",
    says: /--data|folder/u,
  },
  {
    name: "an option that does not exist",
    args: ["narrate", "a.txt", "--loud"],
    code: 2,
    error: "invalid-argument",
    says: /--loud.*--help/su,
  },
  { name: "a command that does not exist", args: ["sing"], code: 2, error: "invalid-argument", says: /sing.*--help/su },
  {
    name: "a port that is no number",
    args: ["serve", "--port", "web"],
    code: 2,
    error: "invalid-argument",
    says: /port/u,
  },
  {
    name: "a voice folder without its files",
    files: { "v/x": "" },
    args: ["voices", "add", "af_heart", "--from", "v"],
    code: 6,
    error: "voice-unavailable",
    says: /v/u,
  },
];

/** Exit code and JSON form of an answer, or the whole of it when it is not what it should be. */
function errorOf(result: Finished): { code: string; message: string; cure: string } {
  const parsed = JSON.parse(result.stdout) as { error: { code: string; message: string; cure: string } };
  return parsed.error;
}

describe("wrong input", () => {
  let place: Place;
  beforeAll(async () => {
    place = await makePlace();
  });
  afterAll(() => place.remove());

  it.each(rows)("$name: exit $code, and what to do", async (row) => {
    const own = { ...place, folder: join(place.folder, `row-${rows.indexOf(row)}`) };
    await mkdir(own.folder);
    for (const [name, content] of Object.entries(row.files ?? {})) {
      await mkdir(join(own.folder, name, ".."), { recursive: true });
      await writeFile(join(own.folder, name), content);
    }
    const before = (await readdir(own.folder)).toSorted();
    // An empty cache for voices: nothing here may need one before it says what is wrong.
    const environment = {
      KATARI_CALLED_FROM: own.folder,
      ...(row.args[0] === "voices"
        ? {
            KATARI_CACHE: join(own.folder, "cache"),
            PIP_INDEX_URL: "http://127.0.0.1:9/simple",
            HF_ENDPOINT: "http://127.0.0.1:9",
            npm_config_registry: "http://127.0.0.1:9",
            PIP_NO_INDEX: "1",
          }
        : {}),
    };
    const result = await katari([...row.args, "--json"], own, environment);
    const error = errorOf(result);
    expect({ exit: result.code, error: error.code }).toEqual({ exit: row.code, error: row.error });
    expect(`${error.message} ${error.cure}`).toMatch(row.says);
    expect(error.cure.length).toBeGreaterThan(10);
    expect(`${error.message} ${error.cure}`).not.toMatch(/undefined|\[object|at .*\.js:\d|NaN/u);
    if (row.args[0] !== "voices") expect((await readdir(own.folder)).toSorted()).toEqual(before);
  });

  it("speaks on stderr when JSON was not asked for", async () => {
    const result = await katari(["narrate", "nowhere.epub"], place);
    expect(result).toMatchObject({ code: 3, stdout: "" });
    expect(result.stderr).toMatch(/^Error: There is no file .*nowhere\.epub\.\nCheck the path\.\n$/u);
  });

  it("an old Node: exit 12 before anything is installed", () => {
    const pretend = `Object.defineProperty(process.versions, "node", { value: "18.19.0" }); process.argv.push("--json"); await import(${JSON.stringify(pathToFileURL(join(repository, "scripts/run.mjs")).href)});`;
    const result = spawnSync(process.execPath, ["--input-type=module", "-e", pretend], { encoding: "utf8" });
    expect(result.status).toBe(12);
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
});

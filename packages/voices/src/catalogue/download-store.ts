import { AppError } from "@katari/core";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AssetGroup, PinnedFile } from "./asset-group.ts";
import { fileDigest } from "./file-digest.ts";

/** What has been fetched and not yet installed: files named by their sha256, which they were checked against. */
export interface DownloadStore {
  readonly folder: string;
  pathOf(file: PinnedFile): string;
  /** Where a download that may be resumed lies until it is whole. */
  partialPathOf(file: PinnedFile): string;
  has(file: PinnedFile): Promise<boolean>;
  /** Whether everything of a group is there, as packages or file by file. */
  hasGroup(group: AssetGroup): Promise<boolean>;
  /**
   * Moves a file in, if its hash is right; else removes it and throws `voice-unavailable`. The file must lie on the
   * same file system as the store.
   */
  take(path: string, file: PinnedFile, signal?: AbortSignal): Promise<void>;
  clear(): Promise<void>;
}

/** Opens the store in a folder, which is made when the first file comes. */
export function createDownloadStore(folder: string): DownloadStore {
  const pathOf = (file: PinnedFile): string => join(folder, file.sha256);
  const has = async (file: PinnedFile): Promise<boolean> => {
    const found = await stat(pathOf(file)).catch(() => undefined);
    return found?.isFile() === true && found.size === file.sizeBytes;
  };
  const hasAll = async (files: readonly PinnedFile[]): Promise<boolean> => {
    for (const file of files) if (!(await has(file))) return false;
    return files.length > 0;
  };
  return {
    folder,
    pathOf,
    partialPathOf: (file) => `${pathOf(file)}.part`,
    has,
    hasGroup: async (group) => (await hasAll(group.packages)) || (await hasAll(group.assets)),
    async take(path, file, signal) {
      const digest = await fileDigest(path, signal);
      if (digest !== file.sha256) {
        await rm(path, { force: true });
        throw new AppError("voice-unavailable", `${file.name} has the sha256 ${digest}, not ${file.sha256}`);
      }
      await mkdir(folder, { recursive: true });
      await rename(path, pathOf(file));
    },
    clear: () => rm(folder, { recursive: true, force: true }),
  };
}

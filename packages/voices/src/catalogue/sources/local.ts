import { AppError } from "@katari/core";
import { constants } from "node:fs";
import { copyFile, mkdir, readdir, stat, truncate } from "node:fs/promises";
import { basename, join } from "node:path";
import type { AssetGroup, PinnedFile } from "../asset-group.ts";
import { fileDigest } from "../file-digest.ts";
import { publishedModel, timedModelDigest, timingsSuffix } from "../kokoro-assets.ts";
import type { AssetSource } from "./source.ts";

/** Folders below the given one that are looked into. */
const maxDepth = 4;
const maxEntries = 20_000;

/**
 * Files that the person has: a folder (packages or single files, under any names) or one file. What a file is, is told
 * by its size and then its hash.
 */
export function localSource(path: string, name = `files in ${path}`): AssetSource {
  return {
    name,
    serves: () => true,
    async fetch(group, { store, workFolder, signal }) {
      const files = await filesBelow(path);
      const work = join(workFolder, "local");
      await mkdir(work, { recursive: true });
      for (const pinned of candidates(group)) {
        if (await store.has(pinned.file)) continue;
        for (const file of files) {
          if (file.sizeBytes !== pinned.sizeBytes) continue;
          if ((await fileDigest(file.path, signal)) !== pinned.sha256) continue;
          const copy = join(work, pinned.file.sha256);
          await copyFile(file.path, copy, constants.COPYFILE_FICLONE);
          if (pinned.sizeBytes > pinned.file.sizeBytes) await truncate(copy, pinned.file.sizeBytes);
          await store.take(copy, pinned.file, signal);
          break;
        }
      }
      if (!(await store.hasGroup(group))) throw new AppError("voice-unavailable", missingText(group));
    },
  };
}

interface Candidate {
  readonly file: PinnedFile;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** What may be found of a group; a model whose timings were exposed already counts as the published one. */
function candidates(group: AssetGroup): Candidate[] {
  const plain = [...group.packages, ...group.assets, ...group.licences].map((file) => ({
    file,
    sizeBytes: file.sizeBytes,
    sha256: file.sha256,
  }));
  const timed = group.assets
    .filter((asset) => asset.sha256 === publishedModel.sha256)
    .map((file) => ({ file, sizeBytes: file.sizeBytes + timingsSuffix.length, sha256: timedModelDigest }));
  return [...plain, ...timed];
}

function missingText(group: AssetGroup): string {
  const single = group.assets.length === 1 ? group.assets[0]?.name : `${group.assets.length} files`;
  const packages = group.packages.map((pinned) => pinned.name).join(", ");
  return `not there, neither ${single} nor ${packages}`;
}

async function filesBelow(path: string): Promise<{ path: string; sizeBytes: number }[]> {
  const top = await stat(path).catch((error: unknown) => {
    throw AppError.from(error);
  });
  if (top.isFile()) return [{ path, sizeBytes: top.size }];
  const found: { path: string; sizeBytes: number }[] = [];
  const walk = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (found.length >= maxEntries || basename(entry.name) === "node_modules") continue;
      const inner = join(folder, entry.name);
      if (entry.isDirectory() && depth < maxDepth) await walk(inner, depth + 1);
      if (!entry.isFile() && !entry.isSymbolicLink()) continue;
      const at = await stat(inner).catch(() => undefined);
      if (at?.isFile()) found.push({ path: inner, sizeBytes: at.size });
    }
  };
  await walk(path, 0);
  return found;
}

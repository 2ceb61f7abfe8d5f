import { AppError } from "@katari/core";
import { statfs } from "node:fs/promises";

/** Throws `disk-full` when the file system of `folder` has less room than is needed. */
export async function requireDiskSpace(folder: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes) return;
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
  throw new AppError(
    "disk-full",
    `${folder} has ${megabytes(freeBytes)} free; installing the voice takes ${megabytes(neededBytes)}.`,
    {
      cure: "Free some space, or choose another folder with KATARI_CACHE.",
      details: { folder, freeBytes, neededBytes },
    },
  );
}

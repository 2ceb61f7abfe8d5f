import { AppError } from "@katari/core";
import { statfs } from "node:fs/promises";

/** A new database takes about 50 MB; a minute of narration as takes about 3 MB. */
const leastFreeBytes = 100_000_000;

/**
 * Refuses to start on a disk that is all but full: a database that meets the end of the disk says so in its own words
 * and late. Throws AppError `disk-full`.
 */
export async function requireFreeSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  if (freeBytes >= leastFreeBytes) return;
  const megabytes = (bytes: number): string => `${Math.floor(bytes / 1e6)} MB`;
  throw new AppError(
    "disk-full",
    `The data folder ${folder} has ${megabytes(freeBytes)} of free space; ${megabytes(leastFreeBytes)} are needed.`,
    { cure: "Free some space, or choose another folder with --data.", details: { freeBytes } },
  );
}

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

/** Below this the database, which takes space 16 MB at a time, can soon write nothing, not even what went wrong. */
const stopBelowBytes = 40_000_000;

export interface FreeSpaceWatch {
  /** Aborts with the caller's signal, and when the disk is all but full. */
  readonly signal: AbortSignal;
  /** AppError `disk-full`, when it was the disk. */
  fault(): AppError | undefined;
  stop(): void;
}

/**
 * Watches the disk of a data folder while work goes on there. On a full disk results cannot be written and wait for
 * space; nothing is lost, but nobody would be told either.
 */
export function watchFreeSpace(
  folder: string,
  signal: AbortSignal,
  options: { readonly stopBelowBytes?: number; readonly everyMs?: number } = {},
): FreeSpaceWatch {
  const full = new AbortController();
  const look = async (): Promise<void> => {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize >= (options.stopBelowBytes ?? stopBelowBytes)) return;
    full.abort(
      new AppError("disk-full", `The disk of the data folder ${folder} is full.`, {
        cure: "Free some space, then run the same command again: it goes on where it was.",
      }),
    );
  };
  const timer = setInterval(() => {
    // A look that fails says nothing about the space; whatever is wrong shows in the work itself.
    look().catch(() => undefined);
  }, options.everyMs ?? 1_000);
  timer.unref();
  return {
    signal: AbortSignal.any([signal, full.signal]),
    fault: () => (full.signal.aborted && !signal.aborted ? AppError.from(full.signal.reason) : undefined),
    stop: () => clearInterval(timer),
  };
}

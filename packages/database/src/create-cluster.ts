import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { AppError } from "@katari/core";

/** The built entry: a thread is plain JavaScript, also when its maker runs from its sources in tests. */
const threadEntry = new URL("../dist/create-cluster-thread.js", import.meta.url);

/**
 * Makes the folder of a new database (PostgreSQL's `initdb`), unless there is one. In a thread of its own: it takes some
 * seconds of computing, and half a gigabyte that a WebAssembly memory would never give back. Beside its place first, and
 * moved there when it is whole, so that an end in the middle leaves nothing half made. Throws what the system says.
 */
export async function createCluster(folder: string): Promise<void> {
  // The file that PostgreSQL and PGlite know a database's folder by.
  if (existsSync(join(folder, "PG_VERSION"))) return;
  await mkdir(dirname(folder), { recursive: true });
  const unfinished = `${folder}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await runThread(unfinished);
  // An empty folder in the place is replaced; one with files in it refuses, and nothing of it is touched.
  await rename(unfinished, folder);
}

async function runThread(folder: string): Promise<void> {
  const thread = new Worker(threadEntry, { workerData: folder });
  await new Promise<void>((resolve, reject) => {
    thread.once("error", reject);
    thread.once("exit", (code) =>
      code === 0 ? resolve() : reject(new AppError("internal", `Making the database ended with ${code}.`)),
    );
  });
}

import { AppError } from "@katari/core";
import { createHash } from "node:crypto";
import { mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";

/** What the holder of a data folder tells others about itself; it lies as `holder.json` in the folder. */
export interface Holder {
  readonly pid: number;
  readonly command: string;
  /** Where a running studio answers, with its token, so that `narrate` can hand its work over. */
  readonly url?: string;
  readonly token?: string;
}

export interface FolderLock {
  /** Says more about the holder, once it is known. */
  describe(holder: Omit<Holder, "pid">): Promise<void>;
  release(): Promise<void>;
}

/**
 * Takes a data folder for this process alone. Two processes on one PGlite folder lose rows without an error, so this
 * comes before anything opens. The lock is a name in the kernel (an abstract Unix socket derived from the real path):
 * the kernel drops it with its holder, also after kill -9, and no two processes can have it. The file only tells who.
 * Returns the other holder when the folder is taken.
 */
export async function lockDataFolder(folder: string, command: string): Promise<FolderLock | Holder> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    // Below a read-only place the recursive mkdir of Node says ENOENT.
    if (error.code === "ENOENT" || error.code === "EROFS" || error.code === "EACCES")
      throw new AppError("no-permission", `The data folder ${folder} cannot be made: its place cannot be written to.`, {
        cure: "Choose another folder with --data, or give yourself write access there.",
        cause: error,
      });
    if (error.code !== "EEXIST" && error.code !== "ENOTDIR") throw AppError.from(error);
    throw new AppError("no-permission", `${folder} cannot be the data folder: a file is in the way.`, {
      cure: "Choose another folder with --data.",
      cause: error,
    });
  });
  if (process.platform !== "linux")
    throw new AppError("unsupported-platform", "The embedded data folder needs Linux.", {
      cure: "Run Katari on Linux, in a virtual machine or a container.",
    });
  const name = `\0katari-${createHash("sha256")
    .update(await realpath(folder))
    .digest("hex")}`;
  const server = await bindName(name);
  const file = join(folder, "holder.json");
  if (server === undefined) return readHolder(file);

  const describe = async (holder: Omit<Holder, "pid">): Promise<void> => {
    const temporary = `${file}.${process.pid}`;
    await writeFile(temporary, JSON.stringify({ pid: process.pid, ...holder }), { mode: 0o600 });
    await rename(temporary, file);
  };
  await describe({ command });
  return {
    describe,
    async release() {
      await rm(file, { force: true });
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export function isHolder(value: FolderLock | Holder): value is Holder {
  return "pid" in value;
}

/** The error for a folder that somebody else uses, naming them. */
export function inUse(folder: string, holder: Holder): AppError {
  const who = holder.pid > 0 ? `process ${holder.pid} (${holder.command})` : "another process";
  return new AppError("in-use", `The data folder ${folder} is in use by ${who}.`, {
    cure: "Wait until it has finished, end it, or choose another folder with --data.",
    details: { pid: holder.pid },
  });
}

function bindName(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(undefined);
      else reject(AppError.from(error));
    });
    server.listen(name, () => {
      server.unref();
      resolve(server);
    });
  });
}

/** The holder writes its file right after it has the name; somebody who looks in between waits a moment for it. */
async function readHolder(file: string): Promise<Holder> {
  for (let look = 0; look < 20; look++) {
    try {
      const holder = JSON.parse(await readFile(file, "utf8")) as Holder;
      if (isAlive(holder.pid)) return holder;
    } catch {
      // Not there yet, or about to be replaced by a new holder's.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { pid: 0, command: "" };
}

/** Whether a process with this id runs on this machine, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

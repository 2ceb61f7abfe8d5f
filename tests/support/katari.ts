import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../..", import.meta.url));
const entry = join(repository, "apps/cli/dist/main.js");

/** A folder of its own for one story: where the person stands, the data and, where wanted, the voices. */
export interface Place {
  readonly folder: string;
  readonly data: string;
  readonly environment: Record<string, string>;
  remove(): Promise<void>;
}

/** Makes a place. Voices come from the user's cache, or from an empty one of its own (`<folder>/cache`). */
export async function makePlace(options: { ownCache?: boolean } = {}): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "katari-story-"));
  const data = join(folder, "data");
  return {
    folder,
    data,
    environment: {
      KATARI_CALLED_FROM: folder,
      KATARI_DATA: data,
      ...(options.ownCache === true ? { KATARI_CACHE: join(folder, "cache") } : {}),
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `katari …` in a process group of its own, so that a story can kill the whole tree. */
export function startKatari(
  args: readonly string[],
  place: Place,
  environment: Record<string, string> = {},
): ChildProcess {
  return spawn(process.execPath, [entry, ...args], {
    cwd: place.folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...place.environment, ...environment },
  });
}

/** Runs `katari …` to its end. */
export function katari(
  args: readonly string[],
  place: Place,
  environment: Record<string, string> = {},
): Promise<Finished> {
  return finished(startKatari(args, place, environment));
}

/** Runs `katari …`, which must succeed, and gives what it printed. */
export async function katariSucceeds(args: readonly string[], place: Place): Promise<string> {
  const { code, stdout, stderr } = await katari(args, place);
  if (code !== 0) throw new Error(`katari ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

/** Waits for a started process and collects what it printed. */
export function finished(child: ChildProcess): Promise<Finished> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

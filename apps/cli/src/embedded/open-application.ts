import { createApiClient, type ApiClient } from "../client/api-client.ts";
import { requireFreeSpace } from "../data-folder/free-space.ts";
import { inUse, isHolder, lockDataFolder } from "../data-folder/lock.ts";
import { requireFreePort } from "./require-free-port.ts";
import type { ProcessTree } from "./process-tree.ts";

export interface OpenApplication {
  readonly api: ApiClient;
  /** Where the studio opens, with the first-run token. */
  readonly openUrl: string;
  /** What runs here; undefined when a studio that runs already does the work. */
  readonly tree: ProcessTree | undefined;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly dataFolder: string;
  readonly command: "narrate" | "serve";
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Port on the loopback address; 0 takes any. */
  readonly port: number;
  readonly signal: AbortSignal;
}

/**
 * The application on a data folder: starts the process tree here, or finds the studio that already has the folder and
 * talks to it. Throws `in-use` when somebody has the folder who takes no work (another narration, a second studio).
 */
export async function openApplication(options: OpenOptions): Promise<OpenApplication> {
  const { dataFolder, command } = options;
  const lock = await lockDataFolder(dataFolder, command);
  if (isHolder(lock)) {
    const { url, token } = lock;
    if (command !== "narrate" || url === undefined || token === undefined) throw inUse(dataFolder, lock);
    return {
      api: createApiClient({ url, token }),
      openUrl: openUrlOf(url, token),
      tree: undefined,
      close: async () => {},
    };
  }
  try {
    await requireFreeSpace(dataFolder);
    if (command === "serve") await requireFreePort(options.port);
    // Loaded here: a narration that finds a running studio needs none of it.
    const { startProcessTree } = await import("./process-tree.ts");
    const tree = await startProcessTree(options);
    const { url, token } = tree;
    // A narration ends with its own book: others must not hand it their work.
    await lock.describe(command === "serve" ? { command, url, token } : { command });
    return {
      api: createApiClient({ url, token }),
      openUrl: openUrlOf(url, token),
      tree,
      async close() {
        await tree.close();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function openUrlOf(url: string, token: string): string {
  return `${url}/open?token=${encodeURIComponent(token)}`;
}

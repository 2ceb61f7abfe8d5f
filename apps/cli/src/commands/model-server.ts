import { runModelServerProcess } from "@katari/model-server";
import { join } from "node:path";
import { cacheFolder } from "../data-folder/paths.ts";

/**
 * `katari model-server [options]`: the model server alone, with its own options (docs/cli.md). Models may be loaded from
 * the installed voices unless `--allow-root` names other folders.
 */
export async function runModelServer(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const cache = cacheFolder(environment);
  const roots = argv.includes("--allow-root")
    ? []
    : ["voices", "models"].flatMap((folder) => ["--allow-root", join(cache, folder)]);
  process.exitCode = await runModelServerProcess({ argv: [...argv, ...roots], env: environment });
}

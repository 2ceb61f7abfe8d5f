import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder that the person stands in: npm changes the working directory, KATARI_CALLED_FROM keeps it. */
export function callersFolder(environment: Environment): string {
  return environment["KATARI_CALLED_FROM"] ?? process.cwd();
}

/** A path as the person typed it, seen from where they stand. */
export function fromCaller(path: string, environment: Environment): string {
  return isAbsolute(path) ? path : resolve(callersFolder(environment), path);
}

/** Where projects, takes and exports live: `--data`, KATARI_DATA, else the user's data folder (XDG). */
export function dataFolder(option: string | undefined, environment: Environment): string {
  const chosen = option ?? environment["KATARI_DATA"];
  if (chosen !== undefined && chosen !== "") return fromCaller(chosen, environment);
  return join(environment["XDG_DATA_HOME"] ?? join(homedir(), ".local", "share"), "katari");
}

/** Where installed voices live: KATARI_CACHE, else the user's cache folder (XDG). */
export function cacheFolder(environment: Environment): string {
  const chosen = environment["KATARI_CACHE"];
  if (chosen !== undefined && chosen !== "") return fromCaller(chosen, environment);
  return join(environment["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "katari");
}

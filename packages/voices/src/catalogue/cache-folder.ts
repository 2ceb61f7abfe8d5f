import { homedir } from "node:os";
import { join } from "node:path";

/** Environment variables; `process.env` fits. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The user's cache folder for Katari: `KATARI_CACHE`, else `$XDG_CACHE_HOME/katari`, else `~/.cache/katari`. */
export function cacheFolder(environment: Environment): string {
  const own = environment["KATARI_CACHE"];
  if (own) return own;
  const xdg = environment["XDG_CACHE_HOME"];
  return join(xdg ? xdg : join(environment["HOME"] ?? homedir(), ".cache"), "katari");
}

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Path of the sample book that comes with Katari: what `narrate` reads when it is given nothing. */
export function sampleBook(): string {
  const folder = fileURLToPath(new URL("../../../examples/", import.meta.url));
  const book = readdirSync(folder).find((name) => name.endsWith(".md") && name !== "README.md");
  return join(folder, book ?? "");
}

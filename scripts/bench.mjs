/**
 * `npm run bench -- <name> [options]`: set-up, then bench/<name>. Prints a table for people, and as its last line one
 * JSON object with the same figures. Have nothing else running on the machine.
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root, setUp } from "./setup.mjs";

await setUp();
const folder = join(root, "bench/dist");
const names = readdirSync(join(root, "bench"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -3));
const [name, ...options] = process.argv.slice(2);
if (name === undefined || !names.includes(name) || !existsSync(join(folder, `${name}.js`))) {
  process.stderr.write(`Usage: npm run bench -- <name>, with one of: ${names.join(", ")}\n`);
  process.exit(2);
}
const child = spawn(process.execPath, [join(folder, `${name}.js`), ...options], { stdio: "inherit", cwd: root });
child.on("close", (code) => {
  process.exitCode = code ?? 1;
});

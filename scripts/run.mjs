/**
 * `npm run narrate`, `npm start`, `npm run katari -- …`: set-up, then the command line. npm changes the working
 * directory to the clone; KATARI_CALLED_FROM keeps the folder that the person stands in.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root, setUp } from "./setup.mjs";

await setUp();
const child = spawn(process.execPath, [join(root, "apps/cli/dist/main.js"), ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, KATARI_CALLED_FROM: process.env.INIT_CWD ?? process.cwd() },
});
// The terminal sends Ctrl-C to the whole group: the child decides what it means, this process only waits for it.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("close", (code, signal) => {
  process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
});

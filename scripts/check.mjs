/** `npm run check`: types, lint, format, boundaries, dead code. All of them run; the first failure does not hide the rest. */
import { spawnSync } from "node:child_process";
import { root, setUp } from "./setup.mjs";

const steps = [
  { title: "types", command: "npx", args: ["tsc", "-b"] },
  { title: "types of tests", command: "npx", args: ["tsc", "-p", "tsconfig.tests.json"] },
  { title: "types of the studio", command: "npx", args: ["tsc", "-p", "apps/studio", "--noEmit"] },
  {
    title: "lint",
    command: "npx",
    args: ["oxlint", "--type-aware", "--deny-warnings", "apps", "packages", "tests", "bench", "scripts"],
  },
  { title: "format", command: "npx", args: ["prettier", "--check", "--log-level", "warn", "."] },
  { title: "boundaries", command: "node", args: ["scripts/check-boundaries.mjs"] },
  { title: "dead code", command: "npx", args: ["knip"] },
];

await setUp();
let failed = 0;
for (const { title, command, args } of steps) {
  const startedAt = Date.now();
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${result.status === 0 ? "ok    " : "FAILED"} ${title} (${seconds} s)`);
  if (result.status === 0) continue;
  failed++;
  console.log(`${result.stdout}${result.stderr}`);
}
process.exitCode = failed === 0 ? 0 : 1;

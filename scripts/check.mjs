/** `npm run check`: types, lint, format, boundaries, dead code. All of them run; the first failure does not hide the rest. */
import { spawnSync } from "node:child_process";
import { root, setUp } from "./setup.mjs";

const steps = [
  ["types", "npx", ["tsc", "-b"]],
  ["types of tests", "npx", ["tsc", "-p", "tsconfig.tests.json"]],
  ["types of the studio", "npx", ["tsc", "-p", "apps/studio", "--noEmit"]],
  ["lint", "npx", ["oxlint", "--type-aware", "--deny-warnings", "apps", "packages", "tests", "bench", "scripts"]],
  ["format", "npx", ["prettier", "--check", "--log-level", "warn", "."]],
  ["boundaries", "node", ["scripts/check-boundaries.mjs"]],
  ["dead code", "npx", ["knip"]],
];

await setUp();
let failed = 0;
for (const [title, command, args] of steps) {
  const startedAt = Date.now();
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${result.status === 0 ? "ok    " : "FAILED"} ${title} (${seconds} s)`);
  if (result.status === 0) continue;
  failed++;
  console.log(`${result.stdout}${result.stderr}`);
}
process.exitCode = failed === 0 ? 0 : 1;

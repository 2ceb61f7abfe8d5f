/** Runs dependency-cruiser over the sources and fails when it looked at no file: a silent pass is no pass. */
import { spawnSync } from "node:child_process";
import { root } from "./setup.mjs";

const args = ["depcruise", "--config", ".dependency-cruiser.cjs", "--output-type", "json", "packages", "apps"];
const result = spawnSync("npx", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
let report;
try {
  report = JSON.parse(result.stdout);
} catch {
  console.log(result.stdout, result.stderr);
  process.exit(1);
}
const { violations, totalCruised } = report.summary;
for (const violation of violations) console.log(`${violation.rule.name}: ${violation.from} -> ${violation.to}`);
const seen = report.modules.filter((module) => /^(packages|apps)\/.*\.tsx?$/.test(module.source)).length;
console.log(`${seen} of our modules, ${totalCruised} modules in all, ${violations.length} violations`);
process.exitCode = violations.length === 0 && seen > 50 ? 0 : 1;

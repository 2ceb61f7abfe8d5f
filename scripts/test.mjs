/**
 * `npm test`: set-up, what the tests need from the system, the default voice, then every test.
 * Arguments go to vitest (a path filters the files).
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root, runStep, setUp } from "./setup.mjs";

/** Programs of Debian's packages that tests use as independent readers; a font has no program but a folder. */
const systemNeeds = [
  { package: "chromium", there: () => hasProgram("chromium") },
  { package: "fonts-noto-cjk", there: () => existsSync("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc") },
  { package: "ffmpeg", there: () => hasProgram("ffmpeg") && hasProgram("ffprobe") },
  { package: "postgresql", there: () => hasProgram("/usr/lib/postgresql/*/bin/initdb") },
  { package: "mediainfo", there: () => hasProgram("mediainfo") },
  { package: "rabbitmq-server", there: () => hasProgram("rabbitmq-server") },
];

await setUp();
await installSystemNeeds();
await runStep("Default voice", process.execPath, [join(root, "apps/cli/dist/main.js"), "voices", "add", "af_heart"]);
const vitest = spawn(
  process.execPath,
  [join(root, "node_modules/vitest/vitest.mjs"), "run", ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, KATARI_TEST: "1" },
  },
);
vitest.on("close", (code) => {
  process.exitCode = code ?? 1;
});

async function installSystemNeeds() {
  const missing = systemNeeds.filter((need) => !need.there()).map((need) => need.package);
  if (missing.length === 0) return;
  const asRoot = process.getuid?.() === 0;
  if (!hasProgram("apt-get") || (!asRoot && !hasProgram("sudo"))) {
    process.stderr.write(`Some tests need ${missing.join(", ")}: install them with your package manager.\n`);
    return;
  }
  const [command, ...before] = asRoot ? ["apt-get"] : ["sudo", "apt-get"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await runStep("Package lists", command, [...before, "update", "-q"], { env });
  await runStep(
    `Installing ${missing.join(", ")}`,
    command,
    [...before, "install", "-y", "-q", "--no-install-recommends", ...missing],
    { env },
  );
}

function hasProgram(name) {
  return spawnSync("sh", ["-c", `command -v ${name}`], { stdio: "ignore" }).status === 0;
}

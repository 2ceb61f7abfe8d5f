import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { repository } from "./support/katari.ts";

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
interface Lock {
  readonly packages: Readonly<Record<string, { license?: string; link?: boolean; dev?: boolean; resolved?: string }>>;
}

/** SPDX identifiers that may come in; a choice such as `(MIT OR CC0-1.0)` needs one of them. */
const allowed = new Set(
  "MIT Apache-2.0 BSD-2-Clause BSD-3-Clause ISC MPL-2.0 BlueOak-1.0.0 0BSD CC0-1.0 Unlicense".split(" "),
);
/** Packages with another licence, each with the reason why it may come in all the same. */
const exceptions: Readonly<Record<string, string>> = {};

const json = async <T>(...path: string[]): Promise<T> =>
  JSON.parse(await readFile(join(repository, ...path), "utf8")) as T;

async function manifests(): Promise<Manifest[]> {
  const found = [await json<Manifest>("package.json"), await json<Manifest>("bench", "package.json")];
  for (const folder of ["packages", "apps"])
    for (const name of await readdir(join(repository, folder)))
      found.push(await json<Manifest>(folder, name, "package.json"));
  return found;
}

describe("dependencies", () => {
  let direct: [user: string, name: string, version: string][];
  let packages: Manifest[];
  beforeAll(async () => {
    packages = await manifests();
    direct = packages.flatMap((manifest) =>
      Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).map(
        ([name, version]): [string, string, string] => [manifest.name, name, version],
      ),
    );
  });

  it("have exact versions, the same one everywhere", () => {
    expect(direct.filter(([, , version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/u.test(version))).toEqual([]);
    const versions = new Map<string, Set<string>>();
    for (const [, name, version] of direct) versions.set(name, (versions.get(name) ?? new Set()).add(version));
    expect([...versions].filter(([, all]) => all.size > 1)).toEqual([]);
  });

  it("are the ones of docs/dependencies.md, each with a reason and its licence", async () => {
    const page = await readFile(join(repository, "docs/dependencies.md"), "utf8");
    const rows = [...page.matchAll(/^\| (\S+) +\| (\S+) +\| (.+?) +\|$/gmu)]
      .map(([, name = "", licence = "", why = ""]) => ({ name, licence, why }))
      .filter(({ name }) => name !== "package" && !name.startsWith("--"));
    const own = new Set(packages.map((manifest) => manifest.name));
    const wanted = new Set(direct.map(([, name]) => name).filter((name) => !own.has(name)));
    expect(new Set(rows.map(({ name }) => name))).toEqual(wanted);
    expect(rows.length).toBe(wanted.size);
    const lock = await json<Lock>("package-lock.json");
    for (const { name, licence, why } of rows) {
      expect({ name, licence }).toEqual({ name, licence: lock.packages[`node_modules/${name}`]?.license });
      expect(why.length).toBeGreaterThan(5);
    }
  });

  it("have licences that may come in, all the way down", async () => {
    const lock = await json<Lock>("package-lock.json");
    const installed = Object.entries(lock.packages).filter(
      ([path, entry]) => path.includes("node_modules/") && entry.link !== true,
    );
    expect(installed.length).toBeGreaterThan(100);
    const others = installed.filter(([path, { license = "none" }]) => {
      const choices = license.replaceAll(/[()]/gu, "").split(" OR ");
      return !choices.some((choice) => allowed.has(choice)) && !(path in exceptions);
    });
    expect(others.map(([path, { license }]) => `${path}: ${license ?? "none"}`)).toEqual([]);
  });
});

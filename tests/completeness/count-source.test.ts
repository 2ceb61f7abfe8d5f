import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { countCharacters } from "@katari/core";
import { readSource } from "@katari/documents";

const run = promisify(execFile);
const script = fileURLToPath(new URL("count-source.py", import.meta.url));
const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

describe("every character of a source", () => {
  for (const path of [
    "examples/the-lamplighters-ledger.md",
    "../shared/books/the-time-machine.epub",
    "../shared/books/hashire-merosu.cp932.txt",
  ]) {
    const absent = !existsSync(at(path)) && process.env["KATARI_REQUIRE_ALL"] !== "1";
    it.skipIf(absent)(`is voiced or skipped, as other code counts them: ${path}`, async () => {
      const tree = await readSource({ path: at(path), fileName: basename(path) });
      const { stdout } = await run("python3", [script, at(path)]);
      const counted: unknown = JSON.parse(stdout);
      const voiced = tree.documents.flatMap(({ blocks }) => blocks.map(({ text }) => countCharacters(text)));
      const skipped = tree.skipped.map(({ characters }) => characters);
      expect(counted).toEqual({
        files: tree.files.map(({ path, characters }) => ({ path, characters })),
        total: [...voiced, ...skipped].reduce((sum, count) => sum + count, 0),
      });
    });
  }
});

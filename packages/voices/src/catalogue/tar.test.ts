import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTar } from "./tar.ts";

describe("the tar reader", () => {
  it("reads what tar writes, in whatever pieces it comes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "katari-tar-"));
    try {
      mkdirSync(join(folder, "package", "voices"), { recursive: true });
      const files: Record<string, Buffer> = {
        "package/empty": Buffer.alloc(0),
        "package/exact": Buffer.alloc(1024, 7),
        [`package/voices/${"n".repeat(90)}`]: Buffer.from("a long name, split into prefix and name"),
      };
      for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
      const archive = execFileSync("tar", ["--format=ustar", "-c", "package"], { cwd: folder });
      for (const size of [1, 511, 512, 700, archive.length]) {
        const pieces = async function* (): AsyncGenerator<Uint8Array> {
          for (let at = 0; at < archive.length; at += size) yield archive.subarray(at, at + size);
        };
        const read: Record<string, Buffer> = {};
        for await (const { name, content } of readTar(pieces())) read[name] = Buffer.concat(content);
        expect(read).toEqual(files);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("refuses an archive that is cut off", async () => {
    const cut = async function* (): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(300).fill(65);
    };
    await expect(readTar(cut()).next()).rejects.toThrow(/damaged/u);
  });
});

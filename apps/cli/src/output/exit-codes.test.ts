import { errorCodes } from "@katari/core";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { exitCodes } from "./exit-codes.ts";

describe("exit codes", () => {
  it("are the table of docs/cli.md", async () => {
    const page = await readFile(new URL("../../../../docs/cli.md", import.meta.url), "utf8");
    const documented = new Map<string, number>();
    for (const [, code, names] of page.matchAll(/^\| (\d+)\s+\| (`.*)\|$/gmu))
      for (const [, name] of (names ?? "").matchAll(/`([^`]+)`/gu))
        if (name !== undefined) documented.set(name, Number(code));
    expect(Object.fromEntries(documented)).toEqual(exitCodes);
  });

  it("name every error code, and none is the code of success", () => {
    for (const code of errorCodes) expect(exitCodes[code], code).toBeGreaterThan(0);
  });
});

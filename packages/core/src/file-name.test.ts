import { describe, expect, it } from "vitest";
import { fileNameOf } from "./file-name.ts";

describe("file name of a title", () => {
  it("has no separators, invisible characters or dots at its ends, and is never empty", () => {
    expect(fileNameOf("A/B: \u0007C?", "m4b")).toBe("A B C.m4b");
    expect(fileNameOf("..hidden.", "m4b")).toBe("hidden.m4b");
    expect(fileNameOf("...", "mp3")).toBe("audiobook.mp3");
    expect(fileNameOf("../../etc", "m4b")).toBe("etc.m4b");
    expect(fileNameOf("", "m4b")).toBe("audiobook.m4b");
    expect(fileNameOf("Don't Panic", "wav")).toBe("Don't Panic.wav");
  });

  it("is none of the names that Windows keeps for devices", () => {
    expect(fileNameOf("Con", "m4b")).toBe("audiobook Con.m4b");
  });

  it("keeps within a file system's limit of 255 bytes, at a whole character", () => {
    const name = fileNameOf("語𠮟".repeat(300), "m4b");
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    expect(name).toMatch(/^(?:語|𠮟)+\.m4b$/u);
  });
});

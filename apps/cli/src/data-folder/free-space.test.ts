import { once } from "node:events";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { watchFreeSpace } from "./free-space.ts";

describe("the watch over a disk", () => {
  it("stops the work with what to do when there is less space than is needed", async () => {
    const watch = watchFreeSpace(tmpdir(), new AbortController().signal, {
      stopBelowBytes: Number.MAX_SAFE_INTEGER,
      everyMs: 1,
    });
    await once(watch.signal, "abort");
    watch.stop();
    expect(watch.fault()).toMatchObject({ code: "disk-full", cure: expect.stringContaining("again") });
  });

  it("follows the person's own wish, and does not take it for a full disk", () => {
    const person = new AbortController();
    const watch = watchFreeSpace(tmpdir(), person.signal);
    expect(watch.signal.aborted).toBe(false);
    person.abort();
    watch.stop();
    expect(watch.signal.aborted).toBe(true);
    expect(watch.fault()).toBeUndefined();
  });
});

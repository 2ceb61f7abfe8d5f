import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteParts, type BytePart } from "./byte-parts.ts";

const never = new AbortController().signal;
async function lengths(parts: AsyncIterable<BytePart>): Promise<number[]> {
  const all: number[] = [];
  for await (const { bytes } of parts) all.push(bytes.length);
  return all;
}

describe("byteParts", () => {
  it("gives every byte once, in full parts but the last, whatever the chunks and whenever parts are released", async () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(chunks, fc.integer({ min: 1, max: 16 }), fc.boolean(), async (chunks, partBytes, asStream) => {
        const whole = Buffer.concat(chunks);
        const stream = async function* () {
          // One buffer for all chunks, as readers of files have.
          const shared = new Uint8Array(40);
          for (const chunk of chunks) {
            shared.set(chunk);
            yield shared.subarray(0, chunk.length);
          }
        };
        const seen: Buffer[] = [];
        const lasts: boolean[] = [];
        for await (const { bytes, isLast, release } of byteParts(asStream ? stream() : whole, partBytes, never)) {
          seen.push(Buffer.from(bytes));
          lasts.push(isLast);
          release();
        }
        expect(Buffer.concat(seen).equals(whole)).toBe(true);
        expect(lasts).toEqual(seen.map((_, i) => i === seen.length - 1));
        expect(seen.slice(0, -1).every((each) => each.length === partBytes)).toBe(true);
        expect(seen.at(-1)?.length ?? 0).toBeLessThanOrEqual(partBytes);
        // An empty last part would be refused in an upload of several.
        if (seen.length > 1) expect(seen.at(-1)?.length).toBeGreaterThan(0);
      }),
    );
  });

  it("holds as many buffers as there are parts not released", async () => {
    const stream = async function* () {
      for (let i = 0; i < 100; i++) yield new Uint8Array(1000);
    };
    const buffers = new Set<ArrayBufferLike>();
    for await (const { bytes, release } of byteParts(stream(), 1000, never)) {
      buffers.add(bytes.buffer);
      release();
    }
    expect(buffers.size).toBe(1);
  });

  it("calls a source's fault by its own name, and closes one that nobody reads to its end", async () => {
    const failing = async function* () {
      yield new Uint8Array(3);
      await Promise.reject(Object.assign(new Error("gone"), { code: "ENOENT", path: "a-file" }));
    };
    await expect(lengths(byteParts(failing(), 2, never))).rejects.toMatchObject({ code: "not-found" });
    let isClosed = false;
    const endless = async function* () {
      try {
        for (;;) yield new Uint8Array(1);
      } finally {
        isClosed = true;
      }
    };
    for await (const part of byteParts(endless(), 2, never)) if (part.bytes.length === 2) break;
    expect(isClosed).toBe(true);
  });
});

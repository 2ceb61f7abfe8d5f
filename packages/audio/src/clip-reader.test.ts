import { describe, expect, it } from "vitest";
import { createClipReader } from "./clip-reader.ts";
import { encodeWav } from "./wav.ts";

const ramp = Float32Array.from({ length: 100 }, (_, i) => i / 128);

describe("clip reader", () => {
  it("cuts clips out of takes and decodes a take once for its neighbours", async () => {
    let reads = 0;
    const read = createClipReader({
      sampleRate: 24_000,
      readWav: () => {
        reads++;
        return Promise.resolve(encodeWav(ramp, 24_000));
      },
    });
    const clips = await Promise.all([
      read({ audioKey: "a", startSamples: 0, endSamples: 10 }),
      read({ audioKey: "a", startSamples: 10, endSamples: 20 }),
    ]);
    expect([...(clips[1] ?? [])]).toEqual([...ramp.subarray(10, 20)]);
    expect(reads).toBe(1);
  });

  it("refuses a take of another rate instead of playing it too fast", async () => {
    const read = createClipReader({
      sampleRate: 24_000,
      readWav: () => Promise.resolve(encodeWav(ramp, 44_100)),
    });
    await expect(read({ audioKey: "a", startSamples: 0, endSamples: 10 })).rejects.toMatchObject({
      code: "unsupported-format",
    });
  });

  it("refuses a clip that goes past the end of its take", async () => {
    const read = createClipReader({ sampleRate: 24_000, readWav: () => Promise.resolve(encodeWav(ramp, 24_000)) });
    await expect(read({ audioKey: "a", startSamples: 0, endSamples: 101 })).rejects.toMatchObject({
      code: "incomplete",
    });
  });

  it("reads a take again after a failure", async () => {
    let reads = 0;
    const read = createClipReader({
      sampleRate: 24_000,
      readWav: () => (reads++ === 0 ? Promise.reject(new Error("away")) : Promise.resolve(encodeWav(ramp, 24_000))),
    });
    const clip = { audioKey: "a", startSamples: 0, endSamples: 10 };
    await expect(read(clip)).rejects.toThrowError("away");
    await expect(read(clip)).resolves.toHaveLength(10);
  });
});

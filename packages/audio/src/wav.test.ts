import { AppError } from "@katari/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeWav, encodeWav } from "./wav.ts";

const pcm16 = fc.array(fc.integer({ min: -32_768, max: 32_767 }), { maxLength: 300 });

describe("WAV", () => {
  it("gives 16-bit samples back exactly", () => {
    fc.assert(
      fc.property(pcm16, fc.integer({ min: 1, max: 192_000 }), (values, sampleRate) => {
        const pcm = Float32Array.from(values, (value) => value / 32_768);
        const decoded = decodeWav(encodeWav(pcm, sampleRate));
        expect(decoded.sampleRate).toBe(sampleRate);
        expect([...decoded.pcm]).toEqual([...pcm]);
      }),
    );
  });

  it("rounds to the nearest step and clamps at full scale", () => {
    fc.assert(
      fc.property(fc.array(fc.float({ min: -2, max: 2, noNaN: true }), { maxLength: 100 }), (values) => {
        const { pcm } = decodeWav(encodeWav(Float32Array.from(values), 24_000));
        pcm.forEach((value, i) => {
          const wanted = Math.min(32_767 / 32_768, Math.max(-1, values[i] ?? 0));
          expect(Math.abs(value - wanted)).toBeLessThanOrEqual(0.5 / 32_768);
        });
      }),
    );
  });

  it("has sizes that match its bytes and nothing after the samples", () => {
    const bytes = encodeWav(new Float32Array(3).fill(0.5), 24_000);
    const view = new DataView(bytes.buffer);
    expect(bytes.length).toBe(44 + 6);
    expect(view.getUint32(4, true)).toBe(bytes.length - 8);
    expect(view.getUint32(40, true)).toBe(6);
    // 0.5 of full scale, little-endian.
    expect([...bytes.subarray(44)]).toEqual([0, 0x40, 0, 0x40, 0, 0x40]);
  });

  it("passes over parts that it does not know", () => {
    const wav = encodeWav(Float32Array.of(0.25, -0.25), 8_000);
    const extra = [76, 73, 83, 84, 3, 0, 0, 0, 1, 2, 3, 0];
    const bytes = Uint8Array.from([...wav.subarray(0, 36), ...extra, ...wav.subarray(36)]);
    new DataView(bytes.buffer).setUint32(4, bytes.length - 8, true);
    expect([...decodeWav(bytes).pcm]).toEqual([0.25, -0.25]);
  });

  const good = () => encodeWav(new Float32Array(10), 24_000);
  const changed = (change: (view: DataView) => void) => {
    const bytes = good();
    change(new DataView(bytes.buffer));
    return bytes;
  };
  it.each([
    ["an empty file", new Uint8Array(), "damaged-source"],
    ["another format", new TextEncoder().encode("ID3 this is not a WAV file"), "damaged-source"],
    ["a cut file", good().subarray(0, 50), "damaged-source"],
    ["bytes after the end", Uint8Array.from([...good(), 1, 2]), "damaged-source"],
    ["a streamed header", changed((view) => view.setUint32(40, 0xffff_ffff, true)), "damaged-source"],
    ["stereo", changed((view) => view.setUint16(22, 2, true)), "unsupported-format"],
    ["floating point", changed((view) => view.setUint16(20, 3, true)), "unsupported-format"],
    ["no rate", changed((view) => view.setUint32(24, 0, true)), "damaged-source"],
  ])("refuses %s", (_name, bytes, code) => {
    expect(() => decodeWav(bytes)).toThrowError(expect.objectContaining({ code }));
  });

  it("never writes a value that is not a number", () => {
    expect(() => encodeWav(Float32Array.of(0, Number.NaN), 24_000)).toThrowError(/not a number at sample 1/);
    expect(() => encodeWav(Float32Array.of(Infinity), 24_000)).toThrowError(AppError);
  });
});

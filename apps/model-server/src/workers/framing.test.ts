import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFrameReader, encodeFrame, frameKinds, type Frame } from "./framing.ts";

const join = (pieces: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(pieces));

const tensor = fc
  .record({
    name: fc.string({ maxLength: 12 }),
    datatype: fc.constantFrom("FP32" as const, "INT64" as const, "BYTES" as const),
    shape: fc.array(fc.nat({ max: 1_000 }), { maxLength: 4 }),
    data: fc.uint8Array({ maxLength: 200 }),
  })
  .map((value) => value);
const frame: fc.Arbitrary<Frame> = fc.record({
  kind: fc.constantFrom(...Object.values(frameKinds)),
  requestId: fc.nat({ max: 2 ** 32 - 1 }),
  header: fc.dictionary(
    fc.string({ maxLength: 8 }).filter((key) => key !== "tensors" && key !== "__proto__"),
    fc.oneof(fc.string(), fc.integer(), fc.boolean()),
    { noNullPrototype: true, maxKeys: 4 },
  ),
  tensors: fc.array(tensor, { maxLength: 4 }),
});
const plain = (value: Frame): Frame => ({
  ...value,
  header: { ...value.header },
  tensors: value.tensors.map((item) => ({ ...item, shape: [...item.shape], data: new Uint8Array(item.data) })),
});

describe("framing", () => {
  it("writes the bytes that its docblock names", () => {
    const bytes = join(
      encodeFrame({
        kind: frameKinds.infer,
        requestId: 258,
        header: { a: 1 },
        tensors: [{ name: "x", datatype: "UINT8", shape: [2], data: Uint8Array.of(7, 8) }],
      }),
    );
    const header = '{"a":1,"tensors":[{"name":"x","datatype":"UINT8","shape":[2],"size":2}]}';
    // 9 fixed bytes (kind 1, id 4, header length 4), the header, 2 bytes of data; all lengths are below 256.
    const length = 9 + header.length + 2;
    const expected = Buffer.concat([
      Buffer.from([length, 0, 0, 0]),
      Buffer.from([2]),
      Buffer.from([2, 1, 0, 0]),
      Buffer.from([header.length, 0, 0, 0]),
      Buffer.from(header),
      Buffer.from([7, 8]),
    ]);
    expect([...bytes]).toEqual([...expected]);
  });

  it("reads what was written, however the stream is cut", () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 4 }),
        fc.array(fc.nat({ max: 60 }), { minLength: 1 }),
        (frames, cuts) => {
          const bytes = join(frames.flatMap((value) => encodeFrame(value)));
          const reader = createFrameReader();
          const read: Frame[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const size = 1 + (cuts[turn % cuts.length] ?? 0);
            read.push(...reader.push(bytes.subarray(at, at + size)));
            at += size;
          }
          expect(read.map(plain)).toEqual(frames.map(plain));
        },
      ),
    );
  });

  it("refuses a stream that is out of step, and never reads over a limit", () => {
    const limits = { maxFrameBytes: 1_000, maxHeaderBytes: 100 };
    const tooLong = Buffer.from([0xff, 0xff, 0xff, 0x7f]);
    const tooShort = Buffer.from([8, 0, 0, 0]);
    const unknownKind = Buffer.from([9, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0, 0]);
    const noJson = Buffer.from([10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0x7b]);
    const headerOverEnd = Buffer.from([9, 0, 0, 0, 1, 0, 0, 0, 0, 5, 0, 0, 0]);
    for (const bytes of [tooLong, tooShort, unknownKind, noJson, headerOverEnd])
      expect(() => createFrameReader(limits).push(bytes)).toThrow("do not understand each other");
  });

  it("fails by its own error or not at all on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const read = (): unknown => {
          try {
            return createFrameReader({ maxFrameBytes: 10_000, maxHeaderBytes: 1_000 }).push(bytes);
          } catch (error) {
            return error;
          }
        };
        const end = read();
        expect(Array.isArray(end) || String(end).includes("do not understand each other")).toBe(true);
      }),
    );
  });

  it("refuses to write a frame over the limit", () => {
    const data = new Uint8Array(2_000);
    const big: Frame = {
      kind: frameKinds.chunk,
      requestId: 1,
      header: {},
      tensors: [{ name: "x", datatype: "UINT8", shape: [2_000], data }],
    };
    expect(() => encodeFrame(big, { maxFrameBytes: 1_000, maxHeaderBytes: 1_000 })).toThrow("larger than");
  });
});

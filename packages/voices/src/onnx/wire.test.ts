import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldIntegers, joinChunks, lengthField, readFields, varintBytes, varintField } from "./wire.ts";

describe("the protobuf wire format", () => {
  it("writes the examples of the protobuf encoding guide", () => {
    // https://protobuf.dev/programming-guides/encoding: field 1 = 150 is 08 96 01, field 2 = "testing" is 12 07 …
    expect([...joinChunks(varintField(1, 150))]).toEqual([0x08, 0x96, 0x01]);
    expect([...joinChunks(lengthField(2, [new TextEncoder().encode("testing")]))]).toEqual([
      0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67,
    ]);
    // The guide: negative numbers take ten bytes; −2 is fe ff ff ff ff ff ff ff ff 01.
    expect([...varintBytes(-2)]).toEqual([0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
  });

  it("reads back any 64-bit number", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.integer({ min: 1, max: 5000 }),
        (value, number) => {
          const [field] = readFields(joinChunks(varintField(number, value)));
          expect(field?.number).toBe(number);
          expect(field && fieldIntegers(field)).toEqual([value]);
        },
      ),
    );
  });

  it("reads packed numbers as it reads repeated ones", () => {
    const [packed] = readFields(joinChunks(lengthField(8, [varintBytes(3), varintBytes(-1), varintBytes(300)])));
    expect(packed && fieldIntegers(packed)).toEqual([3n, -1n, 300n]);
  });

  it("keeps every byte of a message, also fields that it does not know and numbers in long form", () => {
    const field = fc.oneof(
      fc
        .tuple(fc.integer({ min: 1, max: 2000 }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
        .map(([n, v]) => joinChunks(varintField(n, v))),
      fc
        .tuple(fc.integer({ min: 1, max: 2000 }), fc.uint8Array({ maxLength: 300 }))
        .map(([n, v]) => joinChunks(lengthField(n, [v]))),
      fc.uint8Array({ minLength: 4, maxLength: 4 }).map((v) => joinChunks([varintBytes(3 * 8 + 5), v])),
      fc.uint8Array({ minLength: 8, maxLength: 8 }).map((v) => joinChunks([varintBytes(4 * 8 + 1), v])),
      // 1 in two bytes: allowed, and not how anyone would write it.
      fc.constant(Uint8Array.of(0x08, 0x81, 0x00)),
    );
    fc.assert(
      fc.property(fc.array(field), (fields) => {
        const message = joinChunks(fields);
        const read = readFields(message);
        expect(read).toHaveLength(fields.length);
        expect(joinChunks(read.map(({ raw }) => raw))).toEqual(message);
      }),
    );
  });

  it("refuses bytes that are cut off or no message", () => {
    const message = joinChunks(lengthField(2, [new Uint8Array(20)]));
    for (let length = 1; length < message.length; length++)
      expect(() => readFields(message.subarray(0, length))).toThrow(/damaged/u);
    expect(() => readFields(Uint8Array.of(0x0b))).toThrow(/wire type 3/u);
  });
});

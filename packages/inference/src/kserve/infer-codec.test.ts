import * as fc from "fast-check";
import { tensorDatatypes, type Tensor } from "@katari/contracts";
import { describe, expect, it } from "vitest";
import { InferenceError } from "../inference-error.ts";
import {
  decodeInferRequest,
  decodeInferResponse,
  encodeInferRequest,
  encodeInferResponse,
  type InferBody,
} from "./infer-codec.ts";
import { elementBytes, elementCount, joinBytesElements } from "./tensor-data.ts";

const joined = (body: InferBody): Uint8Array => new Uint8Array(Buffer.concat(body.chunks));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const concat = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** The binary request of the KServe v2 binary extension: "Hello" as one BYTES element is 9 bytes. */
const helloBytes = Uint8Array.of(5, 0, 0, 0, 0x48, 0x65, 0x6c, 0x6c, 0x6f);
const helloHeader = utf8(
  '{"inputs":[{"name":"text","shape":[1,1],"datatype":"BYTES","parameters":{"binary_data_size":9}}],' +
    '"outputs":[{"name":"audio","parameters":{"binary_data":true}}]}',
);

const tensor: fc.Arbitrary<Tensor> = fc
  .record({
    name: fc.string({ minLength: 1, maxLength: 10 }),
    datatype: fc.constantFrom(...tensorDatatypes),
    shape: fc.array(fc.nat({ max: 4 }), { maxLength: 3 }),
  })
  .chain(({ name, datatype, shape }) => {
    const count = elementCount(shape);
    const data =
      datatype === "BYTES"
        ? fc.array(fc.uint8Array({ maxLength: 5 }), { minLength: count, maxLength: count }).map(joinBytesElements)
        : fc.uint8Array({ minLength: count * elementBytes[datatype], maxLength: count * elementBytes[datatype] });
    return data.map((bytes): Tensor => ({ name, datatype, shape, data: bytes }));
  });
const plain = (tensors: readonly Tensor[]): unknown =>
  tensors.map((value) => ({ ...value, shape: [...value.shape], data: [...value.data] }));

describe("KServe v2 infer bodies", () => {
  it("reads a binary request", () => {
    const request = decodeInferRequest(concat(helloHeader, helloBytes), helloHeader.byteLength);
    expect(plain(request.inputs)).toEqual([{ name: "text", datatype: "BYTES", shape: [1, 1], data: [...helloBytes] }]);
    expect(request.outputs).toEqual(["audio"]);
    expect(request.binaryOutput("audio")).toBe(true);
  });

  it("reads the same request as JSON", () => {
    const json =
      '{"id":"req-1","parameters":{"priority":1,"timeout":5000000},"inputs":[' +
      '{"name":"text","shape":[1,1],"datatype":"BYTES","data":["Hello"]},' +
      '{"name":"speaker_id","shape":[1,1],"datatype":"INT64","data":[[3]]}],"outputs":[{"name":"audio"}]}';
    const request = decodeInferRequest(utf8(json), undefined);
    expect(request.id).toBe("req-1");
    expect(request.parameters).toEqual({ priority: 1, timeout: 5_000_000 });
    expect(plain(request.inputs)).toEqual([
      { name: "text", datatype: "BYTES", shape: [1, 1], data: [...helloBytes] },
      { name: "speaker_id", datatype: "INT64", shape: [1, 1], data: [3, 0, 0, 0, 0, 0, 0, 0] },
    ]);
    expect(request.binaryOutput("audio")).toBe(false);
  });

  it("takes a listed output as JSON even when binary is the default, and others as the default says", () => {
    const input = '"inputs":[{"name":"a","shape":[0],"datatype":"FP32","data":[]}]';
    const listed = `{${input},"parameters":{"binary_data_output":true},"outputs":[{"name":"x"}]}`;
    expect(decodeInferRequest(utf8(listed), undefined).binaryOutput("x")).toBe(false);
    const unlisted = `{${input},"parameters":{"binary_data_output":true}}`;
    expect(decodeInferRequest(utf8(unlisted), undefined).binaryOutput("x")).toBe(true);
  });

  it("writes a binary answer: names, sizes, then little-endian data", () => {
    // INT16 1 and −2 are 01 00 and fe ff.
    const data = Uint8Array.of(1, 0, 0xfe, 0xff);
    const outputs: Tensor[] = [{ name: "audio", datatype: "INT16", shape: [1, 2], data }];
    const body = encodeInferResponse({ id: undefined, model: "tts", version: "1", outputs }, () => true);
    const bytes = joined(body);
    const header = new TextDecoder().decode(bytes.subarray(0, body.headerLength));
    expect(header.trimEnd()).toBe(
      '{"model_name":"tts","model_version":"1","outputs":[{"name":"audio","datatype":"INT16","shape":[1,2],' +
        '"parameters":{"binary_data_size":4}}]}',
    );
    expect([...bytes.subarray(body.headerLength)]).toEqual([...data]);
    expect(body.sizeBytes).toBe(bytes.byteLength);
    expect((body.headerLength ?? 1) % 8).toBe(0);
  });

  it("writes a JSON answer with flat data", () => {
    // 0.5 is 0x3f000000 in IEEE 754 single precision.
    const outputs: Tensor[] = [
      { name: "audio", datatype: "FP32", shape: [1, 2], data: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0x3f) },
    ];
    const body = encodeInferResponse({ id: "req-1", model: "tts", version: "1", outputs }, () => false);
    expect(body.headerLength).toBeUndefined();
    expect(new TextDecoder().decode(joined(body))).toBe(
      '{"id":"req-1","model_name":"tts","model_version":"1",' +
        '"outputs":[{"name":"audio","datatype":"FP32","shape":[1,2],"data":[0,0.5]}]}',
    );
  });

  it("reads the requests and answers that it writes, bit by bit", () => {
    fc.assert(
      fc.property(fc.array(tensor, { minLength: 1, maxLength: 4 }), fc.option(fc.string()), (tensors, id) => {
        const request = encodeInferRequest({ inputs: tensors, ...(id === null ? {} : { id }) });
        const read = decodeInferRequest(joined(request), request.headerLength);
        expect(plain(read.inputs)).toEqual(plain(tensors));
        expect(read.id).toBe(id ?? undefined);
        const answer = encodeInferResponse(
          { id: id ?? undefined, model: "m", version: "v", outputs: tensors },
          () => true,
        );
        expect(plain(decodeInferResponse(joined(answer), answer.headerLength).outputs)).toEqual(plain(tensors));
      }),
    );
  });

  it("keeps whole numbers and halves through JSON", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1000, max: 1000 }), { maxLength: 20 }), (numbers) => {
        const values = numbers.map((value) => value / 2);
        const data = new Uint8Array(Float32Array.from(values).buffer);
        const outputs: Tensor[] = [{ name: "x", datatype: "FP32", shape: [values.length], data }];
        const body = encodeInferResponse({ id: undefined, model: "m", version: "v", outputs }, () => false);
        expect(plain(decodeInferResponse(joined(body), undefined).outputs)).toEqual(plain(outputs));
      }),
    );
  });

  it("gives data that stands aligned for its numbers", () => {
    const json = '{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":4}}]}';
    const header = utf8(json.length % 2 === 0 ? `${json} ` : json);
    const body = concat(header, Uint8Array.of(0, 0, 0, 0x3f));
    const [input] = decodeInferRequest(body, header.byteLength).inputs;
    expect((input?.data.byteOffset ?? 1) % 4).toBe(0);
    expect([...(input?.data ?? [])]).toEqual([0, 0, 0, 0x3f]);
  });

  it("refuses what does not add up, as the caller's fault", () => {
    const header = (json: string): [Uint8Array, number] => [utf8(json), utf8(json).byteLength];
    const [short, shortLength] = header(
      '{"inputs":[{"name":"x","shape":[2],"datatype":"FP32","parameters":{"binary_data_size":8}}]}',
    );
    const wrong: [Uint8Array, number | undefined][] = [
      [utf8("{"), undefined],
      [utf8('{"inputs":[]}'), undefined],
      [utf8("{}"), 0],
      [utf8("{}"), 3],
      [utf8("{}"), Number.NaN],
      [Uint8Array.of(0xff, 0xfe), undefined],
      [concat(short, new Uint8Array(4)), shortLength],
      [concat(short, new Uint8Array(9)), shortLength],
      [utf8('{"inputs":[{"name":"x","shape":[1],"datatype":"FP32"}]}'), undefined],
      [utf8('{"inputs":[{"name":"x","shape":[2],"datatype":"FP32","data":[1]}]}'), undefined],
      [utf8('{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":["1"]}]}'), undefined],
      [utf8('{"inputs":[{"name":"x","shape":[1],"datatype":"FP16","data":[1]}]}'), undefined],
      [utf8('{"inputs":[{"name":"x","shape":[-1],"datatype":"FP32","data":[]}]}'), undefined],
      [utf8('{"inputs":[{"name":"x","shape":[1],"datatype":"COMPLEX","data":[1]}]}'), undefined],
      [utf8('{"inputs":[{"name":"x","shape":[1],"datatype":"BYTES","data":[1]}]}'), undefined],
    ];
    for (const [bytes, length] of wrong)
      expect(() => decodeInferRequest(bytes, length)).toThrow(
        expect.objectContaining({ code: "invalid-argument", mayHaveRun: false }) as Error,
      );
  });

  it("fails by its own error or not at all on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.option(fc.integer({ min: -5, max: 200 })), (bytes, length) => {
        const read = (): unknown => {
          try {
            return decodeInferRequest(bytes, length ?? undefined);
          } catch (error) {
            return error;
          }
        };
        const end = read();
        expect(!(end instanceof Error) || end instanceof InferenceError).toBe(true);
      }),
    );
  });
});

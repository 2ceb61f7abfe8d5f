import { createHash } from "node:crypto";
import http from "node:http";
import { assert, property, string } from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseRange } from "./byte-range.ts";
import { attachment } from "./content-disposition.ts";
import { openDoor, secret, type Door } from "./testing/door.ts";
import { wavOf } from "./testing/memory-store.ts";

let door: Door;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.server.close());

describe("byte ranges", () => {
  // RFC 9110, section 14.1.2 has the first five for a representation of 10,000 bytes.
  it.each([
    ["bytes=0-499", [0, 500]],
    ["bytes=500-999", [500, 1_000]],
    ["bytes=-500", [9_500, 10_000]],
    ["bytes=9500-", [9_500, 10_000]],
    ["bytes=0-0", [0, 1]],
    ["bytes=9000-20000", [9_000, 10_000]],
    ["bytes=-20000", [0, 10_000]],
    ["bytes=10000-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=500-499", "whole"],
    ["bytes=-", "whole"],
    ["bytes=0-1,5-6", "whole"],
    ["lines=0-1", "whole"],
    ["bytes=a-b", "whole"],
    [undefined, "whole"],
  ])("reads %s", (header, expected) => {
    expect(parseRange(header, 10_000)).toEqual(expected);
  });
});

describe("file names", () => {
  it("follows the example of RFC 8187 and keeps a plain name for old readers", () => {
    // Section 3.2.3: "£ and € rates" is %c2%a3%20and%20%e2%82%ac%20rates in UTF-8.
    expect(attachment("£ and € rates")).toBe(
      `attachment; filename="_ and _ rates"; filename*=UTF-8''%C2%A3%20and%20%E2%82%AC%20rates`,
    );
  });

  it("lets no name break out of the header or of a folder", () => {
    assert(
      property(string({ unit: "binary" }), (name) => {
        const value = attachment(name);
        expect(value).toMatch(/^attachment; filename="[^"\\/]*"; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]*$/);
        expect(value).toMatch(/^[\x20-\x7e]*$/);
      }),
    );
  });
});

describe("an export's file", () => {
  const bytes = new Uint8Array(300_000).map((_, index) => (index * 7) % 256);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  let path: string;

  beforeEach(async () => {
    const project = door.application.addProject("local", "a.epub");
    project.detail.exports.push({ id: "e1", format: "m4b", state: "ready", createdAtMs: 0, progress: 1 });
    await door.store.put("exports/e1", bytes);
    project.files.set("e1", {
      objectKey: "exports/e1",
      fileName: "語り.m4b",
      sizeBytes: bytes.length,
      mediaType: "audio/mp4",
      sha256,
    });
    path = "/exports/e1/file";
  });

  it("comes whole, with its name, length and digest", async () => {
    const response = await door.api(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("audio/mp4");
    expect(response.headers.get("content-length")).toBe("300000");
    expect(response.headers.get("etag")).toBe(`"${sha256}"`);
    expect(response.headers.get("content-disposition")).toContain("filename*=UTF-8''%E8%AA%9E%E3%82%8A.m4b");
    const body = new Uint8Array(await response.arrayBuffer());
    expect(createHash("sha256").update(body).digest("hex")).toBe(sha256);
  });

  it("comes in parts, and a broken download goes on only with the same file", async () => {
    const part = await door.api(path, { headers: { range: "bytes=100000-199999", "if-range": `"${sha256}"` } });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 100000-199999/300000"]);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(100_000, 200_000));
    const other = await door.api(path, { headers: { range: "bytes=100000-", "if-range": '"another"' } });
    expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, 300_000]);
    const beyond = await door.api(path, { headers: { range: "bytes=300000-" } });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */300000"]);
  });

  it("is not sent again to whoever has it, and HEAD tells without sending", async () => {
    expect((await door.api(path, { headers: { "if-none-match": `W/"x", "${sha256}"` } })).status).toBe(304);
    const head = await door.api(path, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "300000", ""]);
  });

  it("is a problem until it is there", async () => {
    await door.store.delete(["exports/e1"]);
    expect((await door.api(path)).status).toBe(404);
    expect((await door.api("/exports/e2/file")).status).toBe(404);
  });

  it("stops reading the store when the client goes away", async () => {
    let read = 0;
    const ended = new Promise<void>((resolve) => {
      const plain = door.store.head.bind(door.store);
      Object.assign(door.store, {
        head: async (key: string) => ({ ...(await plain(key)), key, sizeBytes: 1e9, modifiedAtMs: 0 }),
        async *stream(_key: string, options: { signal: AbortSignal }) {
          try {
            for (let index = 0; index < 10_000; index++) {
              options.signal.throwIfAborted();
              read++;
              yield new Uint8Array(100_000);
            }
          } finally {
            resolve();
          }
        },
      });
    });
    const request = http.get(`${door.server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${secret}` } });
    request.on("error", () => undefined);
    request.on("response", (response) => {
      response.on("error", () => undefined);
      response.once("data", () => request.destroy());
    });
    await ended;
    expect(read).toBeLessThan(10_000);
  });
});

describe("a segment's sound", () => {
  it("is a WAV of exactly its clips, whatever stands around the samples in the takes", async () => {
    const project = door.application.addProject("local", "a.epub");
    const take = (from: number) =>
      wavOf(
        Int16Array.from({ length: 1_000 }, (_, index) => from + index),
        24_000,
      );
    await door.store.put("takes/a", take(0));
    await door.store.put("takes/b", take(-2_000));
    project.audio.set("s1", {
      sampleRate: 24_000,
      clips: [
        { audioKey: "takes/a", startSamples: 100, endSamples: 300 },
        { audioKey: "takes/b", startSamples: 0, endSamples: 50 },
      ],
    });
    const path = `/projects/${project.detail.id}/segments/s1/audio`;
    const response = await door.api(path);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "audio/wav"]);
    const view = new DataView(await response.arrayBuffer());
    // 44 bytes of header, 250 samples of two bytes.
    expect([view.byteLength, response.headers.get("content-length")]).toEqual([544, "544"]);
    expect([
      view.getUint32(4, true),
      view.getUint16(22, true),
      view.getUint32(24, true),
      view.getUint32(40, true),
    ]).toEqual([536, 1, 24_000, 500]);
    expect([view.getInt16(44, true), view.getInt16(44 + 199 * 2, true), view.getInt16(44 + 200 * 2, true)]).toEqual([
      100, 299, -2_000,
    ]);
    const part = await door.api(path, { headers: { range: "bytes=440-447" } });
    const samples = new Int16Array(await part.arrayBuffer());
    expect([part.status, [...samples]]).toEqual([206, [298, 299, -2_000, -1_999]]);
    const again = await door.api(path, { headers: { "if-none-match": response.headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
  });

  it("is a problem when there is none, or when the clip lies outside its take", async () => {
    const project = door.application.addProject("local", "a.epub");
    const path = `/projects/${project.detail.id}/segments/s1/audio`;
    expect((await door.api(path)).status).toBe(404);
    await door.store.put("takes/a", wavOf(new Int16Array(10), 24_000));
    project.audio.set("s1", { sampleRate: 24_000, clips: [{ audioKey: "takes/a", startSamples: 5, endSamples: 11 }] });
    expect((await door.api(path)).status).toBe(500);
  });
});

describe("a cover", () => {
  it("comes as a picture, and nothing else does", async () => {
    const project = door.application.addProject("local", "a.epub");
    const path = `/projects/${project.detail.id}/cover`;
    expect((await door.api(path)).status).toBe(404);
    await door.store.put("covers/1", new Uint8Array([1, 2, 3]));
    project.cover = { objectKey: "covers/1", mediaType: "image/png" };
    const cover = await door.api(path);
    expect([cover.status, cover.headers.get("content-type"), (await cover.arrayBuffer()).byteLength]).toEqual([
      200,
      "image/png",
      3,
    ]);
    project.cover = { objectKey: "covers/1", mediaType: "image/svg+xml" };
    expect((await door.api(path)).status).toBe(404);
  });
});

import { describeObjectStore } from "@katari/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { inChunks, MiB, openStoreOnStub, pattern } from "../testing/store-on-stub.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
const setup: typeof openStoreOnStub = async (...options) => {
  const opened = await openStoreOnStub(...options);
  cleanups.push(() => opened.close());
  return opened;
};

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

// Pages of three objects, so that lists of the suite have several.
describeObjectStore("S3, a stub as strict as OCI", async () => {
  const { store, close } = await openStoreOnStub({}, { pageSize: 3 });
  return { store, dispose: close };
});

describeObjectStore("S3, with a key prefix", async () => {
  const { store, close } = await openStoreOnStub({ keyPrefix: "shared/katari/" });
  return { store, dispose: close };
});

describe("createS3Store", () => {
  it("sends large bodies in parts and reads them back byte for byte", async () => {
    const { stub, store } = await setup({ partBytes: 5 * MiB });
    const data = pattern(12 * MiB + 7);
    for (const body of [data, inChunks(data, 777_777)]) {
      stub.log.length = 0;
      expect(await store.put("big", body)).toMatchObject({ sizeBytes: data.length });
      // 5 + 5 + 2 MiB and 7 bytes.
      expect(stub.log.filter(({ request }) => request.query.has("partNumber"))).toHaveLength(3);
      expect(Buffer.from(await store.get("big")).equals(data)).toBe(true);
      expect(stub.state.uploads.size).toBe(0);
    }
  });

  it("sends a stream of exactly one part in one request, and of exactly two in two parts", async () => {
    const { stub, store } = await setup({ partBytes: 5 * MiB });
    await store.put("one", inChunks(pattern(5 * MiB), MiB));
    expect(stub.log.map(({ request }) => request.method)).toEqual(["PUT", "HEAD"]);
    await store.put("two", inChunks(pattern(10 * MiB), MiB));
    expect(stub.log.filter(({ request }) => request.query.has("partNumber"))).toHaveLength(2);
    expect((await store.head("two"))?.sizeBytes).toBe(10 * MiB);
  });

  it("asks for encryption and tells the content type, in one request and in parts", async () => {
    const { stub, store } = await setup({
      partBytes: 5 * MiB,
      serverSideEncryption: "aws:kms",
      kmsKeyId: "the-key",
    });
    await store.put("small", bytes("x"), { contentType: "audio/wav" });
    await store.put("large", new Uint8Array(6 * MiB), { contentType: "audio/wav" });
    for (const key of ["small", "large"])
      expect(stub.state.objects.get(key)?.headers).toMatchObject({
        "content-type": "audio/wav",
        "x-amz-server-side-encryption": "aws:kms",
        "x-amz-server-side-encryption-aws-kms-key-id": "the-key",
      });
  });

  it("deletes more than a thousand in several requests with a checksum that OCI takes", async () => {
    const { stub, store } = await setup();
    const keys = Array.from({ length: 1001 }, (_, i) => `k/${i}`);
    await store.put("k/0", bytes("x"));
    await store.put("k/1000", bytes("x"));
    await store.put("kept", bytes("x"));
    stub.log.length = 0;
    await store.delete(keys);
    expect(stub.log.map(({ request, status }) => [request.method, status])).toEqual([
      ["POST", 200],
      ["DELETE", 204],
    ]);
    expect(stub.log[0]?.request.headers["x-amz-checksum-crc32c"]).toBeDefined();
    expect([...stub.state.objects.keys()]).toEqual(["kept"]);
  });

  it("keeps to its prefix in the bucket", async () => {
    const { stub, store } = await setup({ keyPrefix: "shared/katari/" });
    for (const key of ["a", "b", "c"]) await store.put(key, bytes("x"));
    const foreign = stub.state.objects.get("shared/katari/a");
    if (foreign) stub.state.objects.set("shared/other", foreign);
    const listed: string[] = [];
    for await (const { key } of store.list("")) listed.push(key);
    expect(listed).toEqual(["a", "b", "c"]);
    await store.delete(["a"]);
    await store.delete(["b", "c"]);
    expect([...stub.state.objects.keys()]).toEqual(["shared/other"]);
  });

  it("passes over what is not a key of the port", async () => {
    const { stub, store } = await setup();
    await store.put("a/b", bytes("x"));
    const object = stub.state.objects.get("a/b");
    if (object) for (const key of ["a/", "a/語", "a//c"]) stub.state.objects.set(key, object);
    const listed: string[] = [];
    for await (const { key } of store.list("a/")) listed.push(key);
    expect(listed).toEqual(["a/b"]);
  });

  it("checks the bucket with an object that it removes", async () => {
    const { stub, store } = await setup();
    await store.check();
    expect(stub.state.objects.size).toBe(0);
  });
});

import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { describeObjectStore } from "@katari/testkit";
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { inChunks, MiB, openStoreOnStub, pattern } from "../testing/store-on-stub.ts";
import { createS3Store } from "./create-s3-store.ts";
import type { S3StoreOptions } from "./s3-settings.ts";

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

  it("sweeps the uploads that killed writers left, and no others", async () => {
    const { stub, store } = await setup({ keyPrefix: "katari/" }, { pageSize: 2 });
    const leave = (key: string, beganAtMs: number) =>
      stub.state.uploads.set(randomUUID(), { key, beganAtMs, headers: {}, parts: new Map() });
    for (const key of ["katari/a", "katari/a", "katari/b", "katari/c", "katari/d"]) leave(key, 1_000);
    leave("katari/young", 2_000);
    leave("other/old", 1_000);
    expect(await store.sweepUploads(2_000)).toBe(5);
    expect([...stub.state.uploads.values()].map(({ key }) => key).sort()).toEqual(["katari/young", "other/old"]);
  });

  it("carries 200 MB in bounded memory, as a stream both ways", async () => {
    const { stub } = await setup();
    await expectBoundedMemory(optionsOf(stub));
  });
});

const optionsOf = ({ endpoint, region, bucket, accessKeyId, secretAccessKey }: S3StoreOptions): S3StoreOptions => ({
  endpoint,
  region,
  bucket,
  accessKeyId,
  secretAccessKey,
});

async function expectBoundedMemory(options: S3StoreOptions): Promise<void> {
  const length = 200_000_000;
  const program = fileURLToPath(new URL("../fixtures/large-body.mjs", import.meta.url));
  const child = fork(program, [JSON.stringify(options), String(length)]);
  const [report] = (await once(child, "message")) as [
    { sizeBytes: number; sent: string; received: string; grownBytes: number },
  ];
  expect(report.sizeBytes).toBe(length);
  expect(report.received).toBe(report.sent);
  // Four parts of 8 MiB are held at once; the rest is what the garbage collector has not taken yet.
  expect(report.grownBytes).toBeLessThan(length / 2);
}

// A real service, such as MinIO: KATARI_TEST_S3=http://127.0.0.1:29000 with KATARI_TEST_S3_KEYS=id:secret.
const realEndpoints = [process.env["KATARI_TEST_S3"]].filter((each) => each !== undefined);
describe.each(realEndpoints)("a real S3 service, %s", (endpoint) => {
  const [accessKeyId = "", secretAccessKey = ""] = (process.env["KATARI_TEST_S3_KEYS"] ?? "").split(":");
  const region = process.env["KATARI_TEST_S3_REGION"] ?? "us-east-1";
  const bucket = `katari-test-${randomUUID()}`;
  const real: S3StoreOptions = { endpoint, region, bucket, accessKeyId, secretAccessKey };
  const open = (options: Partial<S3StoreOptions> = {}) => {
    const store = createS3Store({ ...real, keyPrefix: `${randomUUID()}/`, ...options });
    const dispose = async () => {
      const keys: string[] = [];
      for await (const { key } of store.list("")) keys.push(key);
      await store.delete(keys);
      store.close();
    };
    return { store, dispose };
  };
  beforeAll(async () => {
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
  });

  describeObjectStore("S3, a real service", async () => open());

  it("takes parts, ranges, lists of pages and deletions of many", async () => {
    const { store, dispose } = open({ partBytes: 5 * MiB });
    await store.check();
    const data = pattern(12 * MiB + 7);
    for (const body of [data, inChunks(data, 777_777)]) {
      await store.put("big", body, { contentType: "audio/wav" });
      expect(Buffer.from(await store.get("big")).equals(data)).toBe(true);
      const range = [5 * MiB - 3, 10 * MiB + 3] as const;
      expect(Buffer.from(await store.get("big", { range })).equals(data.subarray(...range))).toBe(true);
    }
    const keys = Array.from({ length: 1003 }, (_, i) => `many/${String(i).padStart(4, "0")}`);
    for (let i = 0; i < keys.length; i += 50)
      await Promise.all(keys.slice(i, i + 50).map((key) => store.put(key, bytes(key))));
    const listed: string[] = [];
    for await (const { key } of store.list("many/")) listed.push(key);
    expect(listed).toEqual(keys);
    await store.delete(keys);
    expect((await store.list("many/")[Symbol.asyncIterator]().next()).done).toBe(true);
    await dispose();
  });

  it("carries 200 MB in bounded memory", () => expectBoundedMemory(real));

  it.each<[Partial<S3StoreOptions>, string, string]>([
    [{ bucket: "katari-no-such-bucket" }, "unavailable", "s3.bucket"],
    [{ accessKeyId: "AKIDWRONG" }, "no-permission", "s3.accessKeyId"],
    [{ secretAccessKey: "wrong-secret" }, "no-permission", "s3.secretAccessKey"],
  ])("names the setting that is wrong: %j", async (wrong, code, setting) => {
    const { store } = open(wrong);
    const works = [
      () => store.put("k", bytes("x")),
      () => store.get("k"),
      () => store.head("k"),
      () => store.delete(["k"]),
      () => store.check(),
    ];
    for (const work of works)
      await expect(work()).rejects.toMatchObject({ code, cure: expect.stringContaining(setting) as string });
    store.close();
  });
});

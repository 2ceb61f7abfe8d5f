import { DeleteObjectsCommand, PutObjectCommand, S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { Readable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { crc32c } from "./s3-stub-dialect.ts";
import { startS3Stub } from "./s3-stub.ts";

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A client as its documentation shows it, with the settings under test. */
async function plainClient(settings: S3ClientConfig) {
  const stub = await startS3Stub();
  const { endpoint, region, accessKeyId, secretAccessKey, bucket } = stub;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1, ...settings });
  cleanups.push(
    () => stub.close(),
    () => client.destroy(),
  );
  return { stub, client, target: { Bucket: bucket, Key: "k" } };
}

describe("the stub's dialect", () => {
  it("refuses what the SDK sends by itself, as OCI does", async () => {
    const { stub, client, target } = await plainClient({});
    await expect(client.send(new PutObjectCommand({ ...target, Body: "x" }))).rejects.toMatchObject({
      name: "InvalidArgument",
    });
    const stream = { ...target, Body: Readable.from([Buffer.from("x")]), ContentLength: 1 };
    await expect(client.send(new PutObjectCommand(stream))).rejects.toMatchObject({ name: "NotImplemented" });
    expect(stub.state.objects.size).toBe(0);
  });

  it("refuses a stream without a length, and CRC-32 of a deletion", async () => {
    const { client, target } = await plainClient({ requestChecksumCalculation: "WHEN_REQUIRED" });
    const stream = { ...target, Body: Readable.from([Buffer.from("x")]) };
    await expect(client.send(new PutObjectCommand(stream))).rejects.toMatchObject({ name: "MissingContentLength" });
    const deletion = new DeleteObjectsCommand({ Bucket: target.Bucket, Delete: { Objects: [{ Key: "k" }] } });
    await expect(client.send(deletion)).rejects.toMatchObject({ name: "InvalidArgument" });
  });

  it("refuses a body that is not the signed one", async () => {
    const { stub, client, target } = await plainClient({ requestChecksumCalculation: "WHEN_REQUIRED" });
    interface Call {
      readonly request: { body?: unknown };
    }
    const changeBody = (next: (call: Call) => unknown) => (call: Call) => {
      call.request.body = Buffer.from("y");
      return next(call);
    };
    // The types of such a step are in packages of the SDK that are not ours to name.
    client.middlewareStack.addRelativeTo(changeBody as never, {
      relation: "after",
      toMiddleware: "httpSigningMiddleware",
    });
    await expect(client.send(new PutObjectCommand({ ...target, Body: "x" }))).rejects.toMatchObject({
      name: "XAmzContentSHA256Mismatch",
    });
    expect(stub.state.objects.size).toBe(0);
  });
});

describe("crc32c", () => {
  // RFC 3720, B.4, "CRC Examples"; its bytes stand in the order of the wire of iSCSI, the lowest first.
  it.each([
    ["32 bytes of zeroes", new Uint8Array(32), "8a9136aa"],
    ["32 bytes of ones", new Uint8Array(32).fill(0xff), "62a8ab43"],
    ["32 bytes of incrementing 00..1f", Uint8Array.from({ length: 32 }, (_, i) => i), "46dd794e"],
  ])("agrees with RFC 3720: %s", (_, data, expected) => {
    expect(crc32c(data).toString("hex")).toBe(expected);
  });
});

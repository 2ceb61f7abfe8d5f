import { describe, expect, it } from "vitest";
import { parseAuthorization, sha256, signatureOf } from "./s3-signature.ts";

// Example credentials and signatures of the AWS documentation, "Signature Calculations for the Authorization Header:
// Transferring Payload in a Single Chunk", examples GET Object, PUT Object and GET Bucket (List Objects).
const secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const credential = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", date: "20130524", region: "us-east-1", service: "s3" };
const host = "examplebucket.s3.amazonaws.com";
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

describe("signatureOf", () => {
  it("agrees with the documentation for a GET with a range", () => {
    const headers = { host, range: "bytes=0-9", "x-amz-content-sha256": emptyHash, "x-amz-date": "20130524T000000Z" };
    const request = { method: "GET", url: "/test.txt", headers };
    expect(signatureOf(request, credential, ["host", "range", "x-amz-content-sha256", "x-amz-date"], secret)).toBe(
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    );
  });

  it("agrees with the documentation for a PUT with a character to encode", () => {
    const headers = {
      date: "Fri, 24 May 2013 00:00:00 GMT",
      host,
      "x-amz-content-sha256": sha256("Welcome to Amazon S3."),
      "x-amz-date": "20130524T000000Z",
      "x-amz-storage-class": "REDUCED_REDUNDANCY",
    };
    const request = { method: "PUT", url: "/test$file.text", headers };
    expect(signatureOf(request, credential, Object.keys(headers), secret)).toBe(
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    );
  });

  it("agrees with the documentation for a query", () => {
    const headers = { host, "x-amz-content-sha256": emptyHash, "x-amz-date": "20130524T000000Z" };
    const request = { method: "GET", url: "/?max-keys=2&prefix=J", headers };
    expect(signatureOf(request, credential, Object.keys(headers), secret)).toBe(
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    );
  });
});

describe("parseAuthorization", () => {
  it("takes the header apart", () => {
    const signature = "a".repeat(64);
    const header = `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`;
    expect(parseAuthorization(header)).toEqual({ credential, signedHeaders: ["host", "x-amz-date"], signature });
    expect(parseAuthorization("Basic x")).toBeUndefined();
  });
});

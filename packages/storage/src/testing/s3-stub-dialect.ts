import { createHash } from "node:crypto";
import { isSameSignature, parseAuthorization, sha256, signatureOf } from "./s3-signature.ts";
import { failed, type StubAnswer } from "./s3-stub-objects.ts";

export interface RawRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface StubAccount {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Checksums that OCI's S3 API takes beside Content-MD5. */
const knownChecksums = ["sha256", "crc32c"];
const allChecksums = ["crc32", "crc32c", "crc64nvme", "sha1", "sha256", "md5", "xxhash64"];
const maxSkewMs = 15 * 60_000;

/** What OCI's S3 API refuses of what newer SDKs send by themselves; `undefined` for a request that it would take. */
export function dialectRefusal({ method, headers }: RawRequest, host: string): StubAnswer | undefined {
  if (headers["host"] !== host) return failed(400, "InvalidRequest", "The bucket belongs in the path.");
  const isChunked =
    /aws-chunked/u.test(headers["content-encoding"] ?? "") ||
    headers["x-amz-content-sha256"]?.startsWith("STREAMING-") === true ||
    headers["x-amz-decoded-content-length"] !== undefined;
  if (isChunked) return failed(501, "NotImplemented", "AWS chunked encoding not supported.");
  if (headers["x-amz-trailer"] !== undefined) return failed(501, "NotImplemented", "Trailers are not supported.");
  if (headers["expect"] !== undefined) return failed(417, "ExpectationFailed");
  const hasBody = method === "PUT" || method === "POST";
  if (headers["transfer-encoding"] !== undefined || (hasBody && headers["content-length"] === undefined))
    return failed(411, "MissingContentLength");
  const asked = [headers["x-amz-sdk-checksum-algorithm"], headers["x-amz-checksum-algorithm"]];
  const given = allChecksums.filter((name) => headers[`x-amz-checksum-${name}`] !== undefined);
  for (const name of [...asked, ...given])
    if (name !== undefined && !knownChecksums.includes(name.toLowerCase()))
      return failed(400, "InvalidArgument", `Checksum ${name} is not supported.`);
  return undefined;
}

/** The refusal of a wrong key, signature, region, time or body; `undefined` when all is right. */
export function signatureRefusal(request: RawRequest, account: StubAccount): StubAnswer | undefined {
  const { headers, body } = request;
  const parsed = parseAuthorization(headers["authorization"] ?? "");
  if (!parsed) return failed(403, "AccessDenied");
  const { credential, signedHeaders, signature } = parsed;
  if (credential.accessKeyId !== account.accessKeyId) return failed(403, "InvalidAccessKeyId");
  if (credential.region !== account.region) return failed(400, "AuthorizationHeaderMalformed");
  const mustBeSigned = Object.keys(headers).filter((name) => name === "host" || name.startsWith("x-amz-"));
  if (!mustBeSigned.every((name) => signedHeaders.includes(name))) return failed(403, "AccessDenied");
  if (!isSameSignature(signature, signatureOf(request, credential, signedHeaders, account.secretAccessKey)))
    return failed(403, "SignatureDoesNotMatch");
  if (Math.abs(timeOf(headers["x-amz-date"] ?? "") - Date.now()) > maxSkewMs)
    return failed(403, "RequestTimeTooSkewed");
  // An unsigned body could be changed on its way; over plain HTTP nothing else would notice.
  if (headers["x-amz-content-sha256"] !== sha256(body)) return failed(400, "XAmzContentSHA256Mismatch");
  return checksumRefusal(headers, body);
}

function checksumRefusal(headers: Readonly<Record<string, string>>, body: Buffer): StubAnswer | undefined {
  const right: Readonly<Record<string, () => string>> = {
    "content-md5": () => createHash("md5").update(body).digest("base64"),
    "x-amz-checksum-sha256": () => createHash("sha256").update(body).digest("base64"),
    "x-amz-checksum-crc32c": () => crc32c(body).toString("base64"),
  };
  for (const [name, compute] of Object.entries(right))
    if (headers[name] !== undefined && headers[name] !== compute()) return failed(400, "BadDigest");
  return undefined;
}

function timeOf(basicIso: string): number {
  return Date.parse(basicIso.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u, "$1-$2-$3T$4:$5:$6Z"));
}

/** CRC-32C (Castagnoli) of RFC 3720, big-endian. */
export function crc32c(data: Uint8Array): Buffer {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE((crc ^ 0xffffffff) >>> 0);
  return bytes;
}

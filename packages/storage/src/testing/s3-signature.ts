import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export interface SignedRequest {
  readonly method: string;
  /** Path and query as in the request line. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Credential {
  readonly accessKeyId: string;
  /** `20130524` of the scope. */
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/** The parts of an `Authorization` header of Signature Version 4; `undefined` when it is none. */
export function parseAuthorization(
  header: string,
):
  | { readonly credential: Credential; readonly signedHeaders: readonly string[]; readonly signature: string }
  | undefined {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/u.exec(
      header,
    );
  if (!match) return undefined;
  const [, accessKeyId = "", date = "", region = "", service = "", signedHeaders = "", signature = ""] = match;
  return { credential: { accessKeyId, date, region, service }, signedHeaders: signedHeaders.split(";"), signature };
}

/**
 * The signature that a request must bear, written from the AWS documentation "Authenticating Requests: Using the
 * Authorization Header (AWS Signature Version 4)" and independent of the SDK.
 */
export function signatureOf(
  request: SignedRequest,
  { date, region, service }: Credential,
  signedHeaders: readonly string[],
  secretAccessKey: string,
): string {
  const [path = "", query = ""] = request.url.split("?");
  const canonicalHeaders = signedHeaders.map(
    (name) => `${name}:${(request.headers[name] ?? "").trim().replaceAll(/ +/gu, " ")}\n`,
  );
  const canonicalRequest = [
    request.method,
    path.split("/").map(encoded).join("/"),
    canonicalQuery(query),
    canonicalHeaders.join(""),
    signedHeaders.join(";"),
    request.headers["x-amz-content-sha256"] ?? "",
  ].join("\n");
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", request.headers["x-amz-date"] ?? "", scope, sha256(canonicalRequest)].join("\n");
  const key = [date, region, service, "aws4_request"].reduce<Buffer>(
    (key, part) => createHmac("sha256", key).update(part).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
  );
  return createHmac("sha256", key).update(toSign).digest("hex");
}

/** Compares two signatures of equal length in constant time. */
export function isSameSignature(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** SHA-256 in hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

function canonicalQuery(query: string): string {
  return query
    .split("&")
    .filter((each) => each !== "")
    .map((each) => each.split("=").map(encoded))
    .map(([name = "", value = ""]) => `${name}=${value}`)
    .sort()
    .join("&");
}

/** Percent-encodes all but the unreserved characters of RFC 3986, whatever was encoded before. */
function encoded(part: string): string {
  return encodeURIComponent(decodeURIComponent(part)).replaceAll(
    /[!'()*]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

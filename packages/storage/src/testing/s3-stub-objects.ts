import { createHash, randomUUID } from "node:crypto";

export interface StubObject {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly modifiedAtMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** One request, with its body read. */
export interface StubRequest {
  readonly method: string;
  /** Without the bucket and decoded; empty for the bucket itself. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface StubAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

export interface StubState {
  readonly objects: Map<string, StubObject>;
  readonly uploads: Map<
    string,
    {
      readonly key: string;
      readonly headers: Record<string, string>;
      parts: Map<number, StubObject>;
      readonly beganAtMs: number;
    }
  >;
  /** Keys in the archive tier, and whether their restore was asked for. */
  readonly archived: Map<string, { restoring: boolean }>;
  readonly pageSize: number;
}

const minPartBytes = 5 * 1024 * 1024;

/** An error as S3 writes it. */
export function failed(status: number, code: string, message = code): StubAnswer {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, headers: { "content-type": "application/xml" }, body };
}

/** Answers a request that has passed the checks of dialect and signature. */
export function answerOf(state: StubState, request: StubRequest): StubAnswer {
  const { method, key, query } = request;
  if (key === "") {
    if (method === "GET") return query.has("uploads") ? listUploads(state, query) : list(state, query);
    if (method === "POST" && query.has("delete")) return deleteMany(state, request);
    return failed(405, "MethodNotAllowed");
  }
  if (query.has("restore") && method === "POST") return restore(state, key);
  if (query.has("uploads") && method === "POST") return createUpload(state, request);
  const uploadId = query.get("uploadId");
  if (uploadId !== null) return withUpload(state, request, uploadId);
  switch (method) {
    case "PUT": {
      const object = objectOf(request);
      state.objects.set(key, object);
      return { status: 200, headers: { etag: object.etag } };
    }
    case "GET":
    case "HEAD":
      return read(state, request);
    case "DELETE":
      state.objects.delete(key);
      return { status: 204 };
    default:
      return failed(405, "MethodNotAllowed");
  }
}

function objectOf({ body, headers }: { body: Buffer; headers: Readonly<Record<string, string>> }): StubObject {
  return { bytes: body, etag: `"${md5(body)}"`, modifiedAtMs: Date.now(), headers };
}

const md5 = (data: Uint8Array): string => createHash("md5").update(data).digest("hex");

function read({ objects, archived }: StubState, { method, key, headers }: StubRequest): StubAnswer {
  const object = objects.get(key);
  if (!object) return method === "HEAD" ? { status: 404 } : failed(404, "NoSuchKey");
  const ifMatch = headers["if-match"];
  if (ifMatch !== undefined && ifMatch !== object.etag) return failed(412, "PreconditionFailed");
  if (archived.has(key) && method === "GET") return failed(403, "InvalidObjectState");
  const size = object.bytes.length;
  const common = {
    etag: object.etag,
    "last-modified": new Date(object.modifiedAtMs).toUTCString(),
    "accept-ranges": "bytes",
  };
  const [, first, last] = /^bytes=(\d+)-(\d*)$/u.exec(headers["range"] ?? "") ?? [];
  if (first === undefined)
    return { status: 200, headers: { ...common, "content-length": String(size) }, body: object.bytes };
  const start = Number(first);
  const end = last === undefined || last === "" ? size : Math.min(size, Number(last) + 1);
  if (start >= size) return failed(416, "InvalidRange");
  return {
    status: 206,
    headers: {
      ...common,
      "content-length": String(end - start),
      "content-range": `bytes ${start}-${end - 1}/${size}`,
    },
    body: object.bytes.subarray(start, end),
  };
}

function list({ objects, pageSize }: StubState, query: URLSearchParams): StubAnswer {
  if (query.get("list-type") !== "2") return failed(501, "NotImplemented");
  const prefix = query.get("prefix") ?? "";
  const after = Buffer.from(query.get("continuation-token") ?? "", "base64url").toString();
  const limit = Math.min(pageSize, Number(query.get("max-keys") ?? pageSize));
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, limit);
  const contents = page.map((key) => {
    const object = objects.get(key);
    const modified = new Date(object?.modifiedAtMs ?? 0).toISOString();
    return `<Contents><Key>${escaped(key)}</Key><LastModified>${modified}</LastModified><ETag>${escaped(object?.etag ?? "")}</ETag><Size>${object?.bytes.length}</Size></Contents>`;
  });
  const isTruncated = keys.length > page.length;
  const token = isTruncated
    ? `<NextContinuationToken>${Buffer.from(page.at(-1) ?? "").toString("base64url")}</NextContinuationToken>`
    : "";
  return xml(
    `<ListBucketResult><KeyCount>${page.length}</KeyCount><IsTruncated>${isTruncated}</IsTruncated>${token}${contents.join("")}</ListBucketResult>`,
  );
}

function listUploads({ uploads, pageSize }: StubState, query: URLSearchParams): StubAnswer {
  const prefix = query.get("prefix") ?? "";
  const place = (key: string, id: string): string => `${key}\0${id}`;
  const after = place(query.get("key-marker") ?? "", query.get("upload-id-marker") ?? "");
  const all = [...uploads]
    .map(([id, { key, beganAtMs }]) => ({ id, key, beganAtMs }))
    .filter(({ id, key }) => key.startsWith(prefix) && place(key, id) > after)
    .sort((a, b) => (place(a.key, a.id) < place(b.key, b.id) ? -1 : 1));
  const page = all.slice(0, pageSize);
  const last = page.at(-1);
  const items = page.map(
    ({ id, key, beganAtMs }) =>
      `<Upload><Key>${escaped(key)}</Key><UploadId>${id}</UploadId><Initiated>${new Date(beganAtMs).toISOString()}</Initiated></Upload>`,
  );
  const next =
    last && all.length > page.length
      ? `<IsTruncated>true</IsTruncated><NextKeyMarker>${escaped(last.key)}</NextKeyMarker><NextUploadIdMarker>${last.id}</NextUploadIdMarker>`
      : "<IsTruncated>false</IsTruncated>";
  return xml(`<ListMultipartUploadsResult>${next}${items.join("")}</ListMultipartUploadsResult>`);
}

function deleteMany({ objects }: StubState, { body, headers }: StubRequest): StubAnswer {
  if (!Object.keys(headers).some((name) => name === "content-md5" || name.startsWith("x-amz-checksum-")))
    return failed(400, "InvalidRequest", "Missing required header for this request: Content-MD5");
  const keys = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/gu)].map(([, key = ""]) => unescaped(key));
  if (keys.length === 0 || keys.length > 1000) return failed(400, "MalformedXML");
  for (const key of keys) objects.delete(key);
  return xml("<DeleteResult/>");
}

function restore({ objects, archived }: StubState, key: string): StubAnswer {
  if (!objects.has(key)) return failed(404, "NoSuchKey");
  const state = archived.get(key);
  if (!state) return failed(403, "InvalidObjectState");
  if (state.restoring) return failed(409, "RestoreAlreadyInProgress");
  state.restoring = true;
  return { status: 202 };
}

function createUpload({ uploads }: StubState, { key, headers }: StubRequest): StubAnswer {
  const id = randomUUID();
  uploads.set(id, { key, headers: { ...headers }, parts: new Map(), beganAtMs: Date.now() });
  return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
}

function withUpload({ objects, uploads }: StubState, request: StubRequest, id: string): StubAnswer {
  const upload = uploads.get(id);
  if (!upload || upload.key !== request.key) return failed(404, "NoSuchUpload");
  if (request.method === "DELETE") {
    uploads.delete(id);
    return { status: 204 };
  }
  if (request.method === "PUT") {
    const part = objectOf(request);
    upload.parts.set(Number(request.query.get("partNumber")), part);
    return { status: 200, headers: { etag: part.etag } };
  }
  const wanted = [...request.body.toString().matchAll(/<Part>(.*?)<\/Part>/gsu)].map(([, part = ""]) => ({
    number: Number(/<PartNumber>(\d+)</u.exec(part)?.[1]),
    etag: unescaped(/<ETag>([^<]*)</u.exec(part)?.[1] ?? ""),
  }));
  const parts: Buffer[] = [];
  for (const [index, { number, etag }] of wanted.entries()) {
    const part = upload.parts.get(number);
    if (part?.etag !== etag) return failed(400, "InvalidPart");
    if (number <= (wanted[index - 1]?.number ?? 0)) return failed(400, "InvalidPartOrder");
    if (part.bytes.length < minPartBytes && index < wanted.length - 1) return failed(400, "EntityTooSmall");
    parts.push(part.bytes);
  }
  const etag = `"${md5(Buffer.concat(parts.map((part) => Buffer.from(md5(part), "hex"))))}-${parts.length}"`;
  objects.set(upload.key, { bytes: Buffer.concat(parts), etag, modifiedAtMs: Date.now(), headers: upload.headers });
  uploads.delete(id);
  return xml(`<CompleteMultipartUploadResult><ETag>${escaped(etag)}</ETag></CompleteMultipartUploadResult>`);
}

function xml(body: string): StubAnswer {
  return {
    status: 200,
    headers: { "content-type": "application/xml" },
    body: `<?xml version="1.0" encoding="UTF-8"?>${body}`,
  };
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

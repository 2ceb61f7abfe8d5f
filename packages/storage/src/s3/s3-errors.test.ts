import { AppError } from "@katari/core";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { openStoreOnStub } from "../testing/store-on-stub.ts";
import { createS3Store, type S3Store } from "./create-s3-store.ts";
import { resolveS3Settings, type S3StoreOptions } from "./s3-settings.ts";

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

async function errorOf(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof AppError)) throw new Error("no AppError", { cause: error });
  return error;
}

const operations: readonly [string, (store: S3Store) => Promise<unknown>][] = [
  ["put", (store) => store.put("k", bytes("x"))],
  ["get", (store) => store.get("k")],
  ["head", (store) => store.head("k")],
  ["list", async (store) => await store.list("")[Symbol.asyncIterator]().next()],
  ["delete", (store) => store.delete(["k"])],
  ["delete of many", (store) => store.delete(["k", "l"])],
  ["check", (store) => store.check()],
];

describe("a set-up that is wrong", () => {
  const cases: readonly (readonly [string, Partial<S3StoreOptions>, string, string])[] = [
    ["a bucket that does not exist", { bucket: "no-such-bucket" }, "unavailable", "s3.bucket"],
    ["an access key that does not exist", { accessKeyId: "AKIDWRONG" }, "no-permission", "s3.accessKeyId"],
    ["a wrong secret key", { secretAccessKey: "wrong" }, "no-permission", "s3.secretAccessKey"],
    ["a wrong region", { region: "us-wrong-1" }, "no-permission", "s3.region"],
    ["an endpoint where nothing listens", { endpoint: "http://127.0.0.1:9" }, "unavailable", "s3.endpoint"],
    ["an endpoint whose name is unknown", { endpoint: "http://store.invalid" }, "unavailable", "s3.endpoint"],
    ["a bucket in the host name", { pathStyle: false, endpoint: "" }, "unavailable", "s3.endpoint"],
  ];
  it.each(
    cases.flatMap(([name, options, code, setting]) =>
      operations.map(([operation, work]) => ({ name, options, code, setting, operation, work })),
    ),
  )("says so: $name, at $operation", async ({ options, code, setting, work }) => {
    const { endpoint, ...others } = options;
    // Virtual-host style needs a name below which the bucket's can stand: localhost has one for everything.
    const { stub } = await setup();
    const target = endpoint === "" ? stub.endpoint.replace("127.0.0.1", "localhost") : (endpoint ?? stub.endpoint);
    const { store } = await setup({ ...stub, ...others, endpoint: target });
    const error = await errorOf(work(store));
    expect(error).toMatchObject({ code, retryable: true });
    expect(error.cure).toContain(setting);
    expect(`${error.message} ${error.cure}`).not.toContain("\n");
    expect(stub.state.objects.size).toBe(0);
  });

  it("calls the settings what the person calls them", async () => {
    const { store } = await setup({ bucket: "none", settingNames: { bucket: "KATARI_BUCKET" } });
    expect((await errorOf(store.get("k"))).cure).toContain("KATARI_BUCKET");
  });

  it.each<[number, string, string, RegExp]>([
    [403, "AccessDenied", "no-permission", /list the bucket and to read, write and delete/u],
    [403, "QuotaExceeded", "disk-full", /quota/u],
    [507, "XMinioStorageFull", "disk-full", /quota/u],
    [403, "RequestTimeTooSkewed", "unavailable", /clock/u],
    [400, "EntityTooLarge", "too-large", /smaller/u],
    [501, "NotImplemented", "unavailable", /s3\.endpoint/u],
    [400, "SomethingElse", "unavailable", /s3\.endpoint/u],
  ])("says what %i %s means, at every operation", async (status, code, expected, cure) => {
    const { stub, store } = await setup();
    stub.faults.push({ of: () => true, how: { kind: "answer", status, code } });
    for (const [, work] of operations) {
      const error = await errorOf(work(store));
      expect(error.code).toBe(expected);
      expect(error.cure).toMatch(cure);
    }
  });

  it("says so when the endpoint is no S3 service", async () => {
    const server = createServer((_, response) => response.writeHead(404).end("<html>Not here</html>"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    cleanups.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    });
    const { stub } = await setup();
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { store } = await setup({ ...stub, endpoint });
    for (const [name, work] of operations) {
      if (name === "delete") continue;
      expect((await errorOf(work(store))).cure, name).toContain("s3.endpoint");
    }
  });

  it("keeps the request, its signature and the keys out of what logs may hold", async () => {
    const { stub, store } = await setup({ secretAccessKey: "wrong-secret" });
    const { cause, message, cure } = await errorOf(store.get("k"));
    const shown = `${message} ${cure} ${String(cause)} ${JSON.stringify(cause)} ${JSON.stringify(Object.getOwnPropertyDescriptors(cause))}`;
    for (const secret of ["wrong-secret", stub.accessKeyId, "Signature="]) expect(shown).not.toContain(secret);
  });
});

describe("an object in the archive", () => {
  it("is asked back once, and says that it is being restored", async () => {
    const { stub, store } = await setup();
    await store.put("k", bytes("content"));
    stub.state.archived.set("k", { restoring: false });
    for (let i = 0; i < 2; i++) {
      const error = await errorOf(store.get("k"));
      expect(error).toMatchObject({
        code: "unavailable",
        retryable: true,
        details: { archived: true, restoring: true },
      });
      expect(error.cure).toContain("lifecycle rules of the bucket");
      expect(stub.state.archived.get("k")).toEqual({ restoring: true });
    }
    expect(await store.head("k")).toMatchObject({ sizeBytes: 7 });
    stub.state.archived.clear();
    expect(await store.get("k")).toEqual(bytes("content"));
  });

  it("says so when the restore is refused", async () => {
    const { stub, store } = await setup();
    await store.put("k", bytes("content"));
    stub.state.archived.set("k", { restoring: false });
    stub.faults.push({
      of: ({ query }) => query.has("restore"),
      how: { kind: "answer", status: 403, code: "AccessDenied" },
    });
    const error = await errorOf(store.get("k"));
    expect(error).toMatchObject({ code: "unavailable", retryable: false, details: { restoring: false } });
    expect(error.cure).toContain("restore objects");
  });
});

describe("resolveS3Settings", () => {
  const right = {
    endpoint: "https://s3.example.com",
    region: "r",
    bucket: "b",
    accessKeyId: "a",
    secretAccessKey: "s",
  };
  it.each<[Partial<S3StoreOptions>, string]>([
    [{ endpoint: "s3.example.com" }, "s3.endpoint"],
    [{ endpoint: "ftp://s3.example.com" }, "s3.endpoint"],
    [{ region: "" }, "s3.region"],
    [{ bucket: " " }, "s3.bucket"],
    [{ accessKeyId: "" }, "s3.accessKeyId"],
    [{ secretAccessKey: "" }, "s3.secretAccessKey"],
    [{ keyPrefix: "a" }, "prefix"],
    [{ partBytes: 1 }, "parts"],
    [{ kmsKeyId: "k" }, "both"],
  ])("refuses %j", (wrong, named) => {
    let error: unknown;
    try {
      resolveS3Settings({ ...right, ...wrong });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: "invalid-argument", cure: expect.stringContaining(named) as string });
    expect(() => createS3Store({ ...right, ...wrong })).toThrow(AppError);
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { inChunks, is, MiB, openStoreOnStub, pattern } from "../testing/store-on-stub.ts";
import type { S3Store } from "./create-s3-store.ts";

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
const text = (data: Uint8Array): string => new TextDecoder().decode(data);

describe("faults that pass", () => {
  it.each([
    { name: "503", how: { kind: "answer", status: 503, code: "SlowDown" } as const },
    { name: "500", how: { kind: "answer", status: 500, code: "InternalError" } as const },
    { name: "a connection that breaks before the effect", how: { kind: "reset", when: "before" } as const },
    { name: "a connection that breaks after the effect", how: { kind: "reset", when: "after" } as const },
    { name: "a service that says nothing", how: { kind: "silence" } as const },
  ])("come through $name", async ({ how }) => {
    const { stub, store } = await setup({ requestTimeoutMs: 200 });
    for (const method of ["PUT", "HEAD", "GET"]) {
      stub.faults.push({ of: is(method), times: 2, how });
      await store.put("k", bytes("content"));
      expect(text(await store.get("k"))).toBe("content");
    }
    stub.faults.push({ of: is("DELETE"), times: 2, how });
    await store.delete(["k"]);
    stub.faults.push({ of: is("POST"), times: 2, how });
    await store.delete(["k", "l"]);
    expect(stub.faults).toEqual([]);
    expect(stub.state.objects.size).toBe(0);
  });

  it("come through in every request of a multipart upload but its confirmation", async () => {
    const { stub, store } = await setup({ partBytes: 5 * MiB });
    const data = pattern(11 * MiB);
    for (const of of [
      (request: { query: URLSearchParams }) => request.query.has("uploads"),
      (request: { query: URLSearchParams }) => request.query.get("partNumber") === "2",
      (request: { query: URLSearchParams; method: string }) =>
        request.method === "POST" && request.query.has("uploadId"),
    ])
      stub.faults.push({ of, times: 2, how: { kind: "reset", when: "before" } });
    await store.put("big", inChunks(data, MiB));
    expect(stub.faults).toEqual([]);
    expect(Buffer.from(await store.get("big")).equals(data)).toBe(true);
  });

  it.each(["cut", "stall"] as const)("takes a read up again where it was: %s", async (kind) => {
    const { stub, store } = await setup({ idleTimeoutMs: 200 });
    const data = pattern(3 * MiB);
    await store.put("k", data);
    stub.log.length = 0;
    stub.faults.push({ of: is("GET"), times: 5, how: { kind, afterBytes: 300_000 } });
    // More breaks than attempts: each comes after progress.
    expect(Buffer.from(await store.get("k")).equals(data)).toBe(true);
    const gets = stub.log.map(({ request }) => request.headers["range"]);
    expect(gets[0]).toBeUndefined();
    expect(gets).toHaveLength(6);
    expect(stub.log.slice(1).every(({ request }) => request.headers["if-match"] !== undefined)).toBe(true);
    // The same with a range.
    stub.faults.push({ of: is("GET"), times: 2, how: { kind, afterBytes: 300_000 } });
    const part = await store.get("k", { range: [1_000_000, 2_000_000] });
    expect(Buffer.from(part).equals(data.subarray(1_000_000, 2_000_000))).toBe(true);
  });

  it("serves a reader that is slower than the time limit of the connection", async () => {
    const { store } = await setup({ idleTimeoutMs: 100 });
    const data = pattern(6 * MiB);
    await store.put("k", data);
    const received: Uint8Array[] = [];
    for await (const chunk of store.stream("k")) {
      // Longer than the limit, at the first chunk only.
      if (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 400));
      received.push(chunk);
    }
    expect(Buffer.concat(received).equals(data)).toBe(true);
  });
});

describe("faults that stay", () => {
  it("ends after the attempts with unavailable", async () => {
    const { stub, store } = await setup({ attempts: 3 });
    stub.faults.push({ of: () => true, how: { kind: "answer", status: 503, code: "SlowDown" } });
    await expect(store.get("k")).rejects.toMatchObject({ code: "unavailable", retryable: true });
    expect(stub.log).toHaveLength(3);
  });

  it("ends a read that breaks again and again without a byte", async () => {
    const { stub, store } = await setup({ attempts: 3 });
    await store.put("k", pattern(MiB));
    stub.log.length = 0;
    stub.faults.push({ of: is("GET"), how: { kind: "cut", afterBytes: 0 } });
    await expect(store.get("k")).rejects.toMatchObject({ code: "unavailable", retryable: true });
    expect(stub.log).toHaveLength(3);
  });

  it("does not mix two versions of an object", async () => {
    const { stub, store } = await setup();
    await store.put("k", new Uint8Array(2 * MiB).fill(1));
    const read = (async () => {
      for await (const _ of store.stream("k"))
        if (stub.faults.length === 0) {
          stub.faults.push({ of: () => false, how: { kind: "silence" } });
          await store.put("k", new Uint8Array(2 * MiB).fill(2));
        }
    })();
    stub.faults.push({ of: is("GET"), times: 1, how: { kind: "cut", afterBytes: 500_000 } });
    await expect(read).rejects.toMatchObject({ code: "unavailable", retryable: true });
  });

  it("refuses another ETag on a read that is taken up, from a service that ignores If-Match", async () => {
    const { stub, store } = await setup();
    await store.put("k", pattern(MiB));
    stub.faults.push(
      { of: is("GET"), times: 1, how: { kind: "cut", afterBytes: 300_000 } },
      {
        of: is("GET"),
        how: { kind: "alter", answer: (answer) => ({ ...answer, headers: { ...answer.headers, etag: '"other"' } }) },
      },
    );
    await expect(store.get("k")).rejects.toMatchObject({ code: "unavailable", retryable: true });
  });

  it("refuses the whole object for a range, and a range of another length", async () => {
    const { stub, store } = await setup();
    await store.put("k", bytes("0123456789"));
    stub.faults.push({
      of: is("GET"),
      times: 1,
      how: { kind: "alter", answer: () => ({ status: 200, body: "0123456789" }) },
    });
    await expect(store.get("k", { range: [2, 4] })).rejects.toMatchObject({ code: "unavailable" });
    stub.faults.push({
      of: is("GET"),
      times: 1,
      how: {
        kind: "alter",
        answer: (answer) => ({ ...answer, headers: { ...answer.headers, "content-length": "1" }, body: "2" }),
      },
    });
    await expect(store.get("k", { range: [2, 4] })).rejects.toMatchObject({ code: "unavailable" });
  });

  it("finds out a service that keeps other bytes than were sent, and leaves none of them", async () => {
    const { stub, store } = await setup();
    stub.faults.push({ of: is("PUT"), how: { kind: "keep", body: (body) => Buffer.concat([body, Buffer.from("!")]) } });
    await expect(store.put("k", bytes("x"))).rejects.toMatchObject({ code: "unavailable", retryable: false });
    expect(stub.state.objects.size).toBe(0);
  });

  it("aborts a multipart upload whose part fails, without sending the rest of the stream", async () => {
    const { stub, store } = await setup({ partBytes: 5 * MiB });
    stub.faults.push({
      of: ({ query }) => query.get("partNumber") === "2",
      how: { kind: "answer", status: 403, code: "AccessDenied" },
    });
    let produced = 0;
    let isClosed = false;
    const endless = async function* () {
      try {
        for (;;) {
          await new Promise((resolve) => setImmediate(resolve));
          produced++;
          yield new Uint8Array(MiB);
        }
      } finally {
        isClosed = true;
      }
    };
    await expect(store.put("k", endless())).rejects.toMatchObject({ code: "no-permission" });
    expect(isClosed).toBe(true);
    // Three parts under way, one being filled, and what came while the refusal travelled.
    expect(produced).toBeLessThan(100);
    expect(stub.state.uploads.size).toBe(0);
    expect(stub.state.objects.size).toBe(0);
  });

  it("tells of an upload that could not be aborted", async () => {
    const left: string[] = [];
    const { stub, store } = await setup({ partBytes: 5 * MiB, onLeftover: ({ key }) => left.push(key) });
    for (const method of ["PUT", "DELETE"])
      stub.faults.push({ of: is(method), how: { kind: "answer", status: 403, code: "AccessDenied" } });
    await expect(store.put("k", new Uint8Array(6 * MiB))).rejects.toMatchObject({ code: "no-permission" });
    expect(left).toEqual(["k"]);
  });
});

describe("cancelling", () => {
  const waiting = async function* () {
    yield new Uint8Array(6 * MiB);
    await new Promise(() => {});
  };
  it.each<[string, (store: S3Store, signal: AbortSignal) => Promise<unknown>]>([
    ["a put", (store, signal) => store.put("k", bytes("new"), { signal })],
    ["a put in parts", (store, signal) => store.put("k", new Uint8Array(12 * MiB), { signal })],
    ["a put whose source waits", (store, signal) => store.put("k", waiting(), { signal })],
    ["a get", (store, signal) => store.get("k", { signal })],
    ["a head", (store, signal) => store.head("k", { signal })],
    ["a delete", (store, signal) => store.delete(["k"], { signal })],
    ["a delete of many", (store, signal) => store.delete(["k", "l"], { signal })],
  ])("ends the wait for an answer and leaves the old object: %s", async (_, work) => {
    const { stub, store } = await setup({ partBytes: 5 * MiB });
    await store.put("k", bytes("old"));
    stub.log.length = 0;
    // Every request but those that begin and end an upload, so that the parts are what waits.
    const of = ({ query, method }: { query: URLSearchParams; method: string }) =>
      !query.has("uploads") && !(method === "DELETE" && query.has("uploadId"));
    stub.faults.push({ of, how: { kind: "silence" } });
    const cancel = new AbortController();
    const result = work(store, cancel.signal).catch((error: unknown) => error);
    while (!stub.log.some(({ request }) => of(request))) await new Promise((resolve) => setImmediate(resolve));
    cancel.abort();
    expect(await result).toMatchObject({ code: "cancelled" });
    stub.faults.length = 0;
    expect(text(await store.get("k"))).toBe("old");
    expect(stub.state.uploads.size).toBe(0);
  });

  it("ends the wait before the next attempt", async () => {
    const { stub, store } = await setup({ retryDelayMs: 1e9 });
    stub.faults.push({ of: () => true, how: { kind: "answer", status: 503, code: "SlowDown" } });
    const cancel = new AbortController();
    const result = store.head("k", { signal: cancel.signal }).catch((error: unknown) => error);
    while (stub.log.length === 0) await new Promise((resolve) => setImmediate(resolve));
    cancel.abort();
    expect(await result).toMatchObject({ code: "cancelled" });
  });

  it("says timeout when the caller's time limit is the reason", async () => {
    const { stub, store } = await setup();
    stub.faults.push({ of: () => true, how: { kind: "silence" } });
    await expect(store.get("k", { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: "timeout" });
  });
});

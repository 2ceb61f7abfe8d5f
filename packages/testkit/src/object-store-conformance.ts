import { AppError } from "@katari/core";
import type { ObjectStore } from "@katari/storage";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

export interface ObjectStoreUnderTest {
  /** A store without objects. */
  readonly store: ObjectStore;
  /** Ends and removes what `setup` made. */
  dispose(): Promise<void>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array): string => new TextDecoder().decode(data);

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return AppError.from(error).code;
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function* chunks(count: number, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    yield new Uint8Array(sizeBytes).fill(i % 251);
  }
}

/** Everything that the docblock of `ObjectStore` promises, for one adapter. */
export function describeObjectStore(name: string, setup: () => Promise<ObjectStoreUnderTest>): void {
  describe(`ObjectStore: ${name}`, () => {
    let under: ObjectStoreUnderTest;
    let store: ObjectStore;
    beforeEach(async () => {
      under = await setup();
      store = under.store;
    });
    afterEach(() => under.dispose());

    it("gives back what was put, and tells its size", async () => {
      const info = await store.put("a/b.json", bytes("語り"), { contentType: "application/json" });
      expect(info).toMatchObject({ key: "a/b.json", sizeBytes: 6 });
      expect(text(await store.get("a/b.json"))).toBe("語り");
      expect(await store.head("a/b.json")).toMatchObject({ key: "a/b.json", sizeBytes: 6 });
    });

    it("keeps an empty object", async () => {
      await store.put("empty", new Uint8Array(0));
      expect(await store.get("empty")).toHaveLength(0);
      expect(await store.head("empty")).toMatchObject({ sizeBytes: 0 });
    });

    it("replaces an object that is put again", async () => {
      await store.put("k", bytes("long content"));
      await store.put("k", bytes("new"));
      expect(text(await store.get("k"))).toBe("new");
    });

    it("takes a stream and gives one, byte for byte", async () => {
      // 40 chunks of 100,003 bytes: no buffer size divides them.
      await store.put("stream", chunks(40, 100_003));
      const back = Buffer.concat(await collect(store.stream("stream")));
      expect(back.equals(Buffer.concat(await collect(chunks(40, 100_003))))).toBe(true);
    });

    it("reads ranges as slice does", async () => {
      const content = bytes("0123456789");
      await store.put("r", content);
      for (const range of [
        [0, 10],
        [2, 5],
        [9, 10],
        [4, 4],
        [8, 99],
        [10, 12],
      ] as const) {
        expect(text(await store.get("r", { range }))).toBe(text(content.slice(...range)));
        expect(text(Buffer.concat(await collect(store.stream("r", { range }))))).toBe(text(content.slice(...range)));
      }
    });

    it("says not-found of what is not there", async () => {
      expect(await codeOf(store.get("no/such"))).toBe("not-found");
      expect(await codeOf(collect(store.stream("no/such")))).toBe("not-found");
      expect(await store.head("no/such")).toBeUndefined();
      expect(await codeOf(store.delete(["no/such"]))).toBeUndefined();
    });

    it("does not take a folder of objects for an object", async () => {
      await store.put("folder/object", bytes("x"));
      expect(await codeOf(store.get("folder"))).toBe("not-found");
      expect(await store.head("folder")).toBeUndefined();
      expect(await codeOf(store.delete(["folder"]))).toBeUndefined();
      expect(text(await store.get("folder/object"))).toBe("x");
    });

    it.each([
      "",
      "/",
      "/a",
      "a/",
      "a//b",
      "../a",
      "a/../b",
      "a/./b",
      ".",
      "a\\b",
      "a b",
      "語",
      "a\0b",
      "x".repeat(600),
    ])("refuses the key %j", async (key) => {
      expect(await codeOf(store.put(key, bytes("x")))).toBe("invalid-argument");
      expect(await codeOf(store.get(key))).toBe("invalid-argument");
      expect(await codeOf(store.head(key))).toBe("invalid-argument");
      expect(await codeOf(store.delete([key]))).toBe("invalid-argument");
    });

    it("takes the keys of the product", async () => {
      for (const key of ["voices/af_heart@0a1b/voice.json", "takes/ab=.json", "audio/A-Z_0.wav", ".hidden", "a..b"]) {
        await store.put(key, bytes(key));
        expect(text(await store.get(key))).toBe(key);
      }
    });

    it("lists keys by prefix, in order", async () => {
      const keys = ["a", "a-b", "a.b", "b/1", "b/10", "b/2", "b/c/d", "b-x", "c"];
      for (const key of keys.toReversed()) await store.put(key, bytes(key));
      const list = async (prefix: string) => (await collect(store.list(prefix))).map((each) => each.key);
      expect(await list("")).toEqual(keys.toSorted());
      expect(await list("b/")).toEqual(["b/1", "b/10", "b/2", "b/c/d"]);
      expect(await list("b/1")).toEqual(["b/1", "b/10"]);
      expect(await list("b")).toEqual(["b-x", "b/1", "b/10", "b/2", "b/c/d"]);
      expect(await list("nothing/here")).toEqual([]);
      expect(await codeOf(collect(store.list("../")))).toBe("invalid-argument");
    });

    it("deletes many", async () => {
      for (const key of ["x/1", "x/2", "x/3"]) await store.put(key, bytes(key));
      await store.delete(["x/1", "x/3", "x/none"]);
      expect((await collect(store.list(""))).map((each) => each.key)).toEqual(["x/2"]);
    });

    it("leaves nothing behind when a put is cancelled or its source fails", async () => {
      await store.put("kept", bytes("old"));
      const cancel = new AbortController();
      const body = async function* () {
        yield bytes("first");
        await new Promise((resolve) => setImmediate(resolve));
        cancel.abort();
        yield bytes("second");
      };
      expect(await codeOf(store.put("kept", body(), { signal: cancel.signal }))).toBe("cancelled");
      const failing = async function* () {
        yield bytes("first");
        await Promise.reject(new AppError("damaged-source", "broken"));
      };
      expect(await codeOf(store.put("kept", failing()))).toBe("damaged-source");
      expect(text(await store.get("kept"))).toBe("old");
      expect((await collect(store.list(""))).map((each) => each.key)).toEqual(["kept"]);
      expect(await codeOf(store.get("kept", { signal: AbortSignal.abort() }))).toBe("cancelled");
    });

    it("shows a reader the old or the new object, never a mixture", async () => {
      const sizeBytes = 200_000;
      await store.put("race", new Uint8Array(sizeBytes).fill(0));
      const writer = { done: false };
      const writing = (async () => {
        for (let i = 1; i <= 20; i++) await store.put("race", new Uint8Array(sizeBytes).fill(i));
        writer.done = true;
      })();
      while (!writer.done) {
        const seen = await store.get("race");
        expect(seen).toHaveLength(sizeBytes);
        expect(seen.every((byte) => byte === seen[0])).toBe(true);
      }
      await writing;
    });

    it("survives many puts of one key at the same time", async () => {
      await Promise.all(Array.from({ length: 12 }, (_, i) => store.put("d/e/f", bytes(`value ${i}`))));
      expect(text(await store.get("d/e/f"))).toMatch(/^value \d+$/u);
    });
  });
}

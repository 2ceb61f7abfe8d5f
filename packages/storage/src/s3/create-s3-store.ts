import { AppError } from "@katari/core";
import { randomUUID } from "node:crypto";
import { parseObjectKey, parseObjectPrefix } from "../object-key.ts";
import type { GetOptions, ObjectStore } from "../object-store.ts";
import { deleteObjects } from "./s3-delete.ts";
import { s3Error } from "./s3-errors.ts";
import { altered, confirm, headObject } from "./s3-head.ts";
import { listObjects } from "./s3-list.ts";
import { readObject } from "./s3-read.ts";
import { createS3Requests, translated } from "./s3-requests.ts";
import { resolveS3Settings, type S3StoreOptions } from "./s3-settings.ts";
import { sweepUploads } from "./s3-sweep.ts";
import { writeObject } from "./s3-write.ts";

/** An ObjectStore with connections that can be tried and closed. */
export interface S3Store extends ObjectStore {
  /**
   * Puts, reads, lists and deletes a small object. Throws AppError that names the setting to change when the bucket,
   * the keys, a right or the service is not as it should be.
   */
  check(options?: { signal?: AbortSignal }): Promise<void>;
  /**
   * Aborts multipart uploads that began before `beforeMs` (of the epoch) and were left by killed writers; returns how
   * many. Choose a time by which no put can still be under way.
   */
  sweepUploads(beforeMs: number, options?: { signal?: AbortSignal }): Promise<number>;
  /** Closes the idle connections. */
  close(): void;
}

/**
 * Objects in a bucket of an S3 service: AWS, MinIO, R2, or OCI with a Customer Secret Key. Throws AppError
 * `invalid-argument` for settings that cannot be right; makes no request before the first call.
 *
 * A put is confirmed by reading back the object's head, so that a service or proxy that changes bodies is found out.
 * A put that is cancelled in its last moment, when the service has all bytes but has not answered, may still take place.
 */
export function createS3Store(options: S3StoreOptions): S3Store {
  const settings = resolveS3Settings(options);
  const requests = createS3Requests(settings);

  async function* read(key: string, { range, signal }: GetOptions): AsyncGenerator<Uint8Array> {
    parseObjectKey(key);
    const [start, end] = range ?? [0, Number.POSITIVE_INFINITY];
    const isRange = Number.isSafeInteger(start) && start >= 0 && end >= start;
    if (!isRange || !(Number.isSafeInteger(end) || end === Number.POSITIVE_INFINITY))
      throw new AppError("invalid-argument", `[${start}, ${end}) is not a range.`);
    if (start === end) {
      // HTTP has no empty range; there must be an object all the same.
      if (!(await headObject(requests, key, signal))) throw new AppError("not-found", `There is no object ${key}.`);
      return;
    }
    yield* readObject(requests, key, { ...(range ? { range } : {}), ...(signal ? { signal } : {}) });
  }

  const store: ObjectStore = {
    put: (key, body, { contentType, signal } = {}) =>
      translated(settings, key, async () => {
        parseObjectKey(key);
        const written = await writeObject(requests, key, body, {
          ...(contentType === undefined ? {} : { contentType }),
          ...(signal ? { signal } : {}),
        });
        return await confirm(requests, key, written, signal);
      }),
    get: (key, options = {}) =>
      translated(settings, key, async () => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of read(key, options)) chunks.push(chunk);
        return new Uint8Array(Buffer.concat(chunks));
      }),
    async *stream(key, options = {}) {
      try {
        yield* read(key, options);
      } catch (error) {
        throw s3Error(error, settings, key);
      }
    },
    head: (key, options) =>
      translated(settings, key, async () => {
        parseObjectKey(key);
        return (await headObject(requests, key, options?.signal))?.info;
      }),
    async *list(prefix, options) {
      try {
        parseObjectPrefix(prefix);
        yield* listObjects(requests, prefix, options?.signal);
      } catch (error) {
        throw s3Error(error, settings);
      }
    },
    delete: (keys, options) =>
      translated(settings, keys.length === 1 ? keys[0] : undefined, async () => {
        for (const key of keys) parseObjectKey(key);
        await deleteObjects(requests, keys, options?.signal);
      }),
  };

  return {
    ...store,
    async check(options) {
      const key = `.katari-check/${randomUUID()}`;
      const bytes = new TextEncoder().encode(key);
      await store.put(key, bytes, options);
      const back = await store.get(key, options);
      const listed: string[] = [];
      for await (const { key: each } of store.list(key, options)) listed.push(each);
      await store.delete([key], options);
      if (!Buffer.from(back).equals(bytes) || listed[0] !== key) throw altered(key, settings);
    },
    sweepUploads: (beforeMs, options) =>
      translated(settings, undefined, () => sweepUploads(requests, beforeMs, options?.signal)),
    close: () => requests.close(),
  };
}

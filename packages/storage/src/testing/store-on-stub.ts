import { createS3Store, type S3Store } from "../s3/create-s3-store.ts";
import type { S3StoreOptions } from "../s3/s3-settings.ts";
import { startS3Stub, type S3Stub } from "./s3-stub.ts";
import type { StubRequest } from "./s3-stub-objects.ts";

export const MiB = 1024 * 1024;

/** A store on a stub of its own, with waits too short to be felt. */
export async function openStoreOnStub(
  options: Partial<S3StoreOptions> = {},
  stubOptions: { readonly pageSize?: number } = {},
): Promise<{ readonly stub: S3Stub; readonly store: S3Store; readonly close: () => Promise<void> }> {
  const stub = await startS3Stub(stubOptions);
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = stub;
  const store = createS3Store({
    endpoint,
    region,
    bucket,
    accessKeyId,
    secretAccessKey,
    retryDelayMs: 1,
    ...options,
  });
  return {
    stub,
    store,
    async close() {
      store.close();
      await stub.close();
    },
  };
}

/** Picks requests by method, for faults. */
export const is =
  (method: string) =>
  (request: StubRequest): boolean =>
    request.method === method;

/** Bytes that differ at every place where a part or a resumed read could begin wrongly. */
export function pattern(length: number): Uint8Array {
  const data = new Uint8Array(length);
  for (let i = 0; i < length; i++) data[i] = Math.imul(i, 2_654_435_761) >>> 24;
  return data;
}

/** The bytes as a stream. */
export async function* inChunks(data: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < data.length; start += size) {
    await new Promise((resolve) => setImmediate(resolve));
    yield data.subarray(start, start + size);
  }
}

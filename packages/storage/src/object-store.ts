export interface ObjectInfo {
  readonly key: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

export interface GetOptions {
  /** First byte and the byte after the last, as in `slice`. */
  readonly range?: readonly [start: number, end: number];
  readonly signal?: AbortSignal;
}

/**
 * Where sources, takes, plans and exports lie. Keys are `/`-separated paths of `[A-Za-z0-9._@=-]` parts; no part is
 * `.` or `..`, else AppError `invalid-argument`.
 *
 * `put` is atomic: a reader sees the old object, none, or the whole new one, also after a crash; when it resolves the
 * object is durable. Putting the same key again replaces it. A missing object is AppError `not-found`; a full disk
 * `disk-full`; a store that does not answer `unavailable` (retryable). Cancelling leaves nothing behind.
 */
export interface ObjectStore {
  put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: { contentType?: string; signal?: AbortSignal },
  ): Promise<ObjectInfo>;
  /** The whole object or a range of it, in memory. */
  get(key: string, options?: GetOptions): Promise<Uint8Array>;
  /** The same as a stream with back-pressure. */
  stream(key: string, options?: GetOptions): AsyncIterable<Uint8Array>;
  /** `undefined` when there is no such object. */
  head(key: string, options?: { signal?: AbortSignal }): Promise<ObjectInfo | undefined>;
  /** Keys that begin with the prefix, in order. */
  list(prefix: string, options?: { signal?: AbortSignal }): AsyncIterable<ObjectInfo>;
  /** Deleting what is not there is no error. */
  delete(keys: readonly string[], options?: { signal?: AbortSignal }): Promise<void>;
}

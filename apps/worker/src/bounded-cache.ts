export interface BoundedCache<T> {
  /** The value of a key, made once for everybody who asks meanwhile. A failure is thrown to them and not kept. */
  get(key: string, make: () => Promise<T>): Promise<T>;
  forget(key: string): void;
}

/** Keeps the `limit` values that were asked for last. */
export function createBoundedCache<T>(limit: number): BoundedCache<T> {
  const values = new Map<string, Promise<T>>();
  return {
    async get(key, make) {
      const known = values.get(key);
      const value = known ?? make();
      values.delete(key);
      values.set(key, value);
      const [oldest] = values.keys();
      if (values.size > limit && oldest !== undefined) values.delete(oldest);
      try {
        return await value;
      } catch (error) {
        if (values.get(key) === value) values.delete(key);
        throw error;
      }
    },
    forget: (key) => void values.delete(key),
  };
}

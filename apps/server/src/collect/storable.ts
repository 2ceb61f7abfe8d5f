/** What PostgreSQL's text and jsonb cannot hold: NUL, and halves of surrogate pairs. */
const unstorable = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The same value with every unstorable character of its strings replaced by U+FFFD, unit for unit: ranges stay right. */
export function storable<T>(value: T): T {
  if (typeof value === "string") return value.replace(unstorable, "\ufffd") as T;
  if (Array.isArray(value)) return value.map(storable) as T;
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, storable(each)])) as T;
  return value;
}

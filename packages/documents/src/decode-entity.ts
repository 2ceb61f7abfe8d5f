import { parseFragment } from "parse5";

const known = new Map<string, string | undefined>();

/**
 * Decodes one character reference of HTML, written whole (`&amp;`, `&#x27;`). Undefined when HTML knows none by that
 * name. Source: HTML standard, named character references.
 */
export function decodeEntity(reference: string): string | undefined {
  if (known.has(reference)) return known.get(reference);
  const node = parseFragment(reference).childNodes[0];
  const value = node && "value" in node && node.value !== reference ? node.value : undefined;
  // A prefix such as "&notit;" decodes in part only: the rest of the name would stay.
  const decoded = value !== undefined && Array.from(value).length <= 2 ? value : undefined;
  if (known.size < 4_096) known.set(reference, decoded);
  return decoded;
}

/** A link inside a book: the file it leads to and the element in it. */
export interface BookLink {
  readonly path: string;
  readonly fragment?: string;
}

/**
 * Resolves a reference against the file that holds it, as path inside the archive (percent signs decoded). Undefined
 * for references out of the book.
 */
export function resolveLink(from: string, reference: string): BookLink | undefined {
  const [target = "", fragment] = reference.trim().split("#", 2);
  if (/^[a-z][a-z0-9+.-]*:/iu.test(target) || target.startsWith("//")) return undefined;
  const parts = target === "" ? from.split("/") : target.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const part of target.replace(/\?.*$/u, "").split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (parts.length === 0) return undefined;
      parts.pop();
    } else parts.push(decode(part));
  }
  const path = parts.join("/");
  return fragment === undefined || fragment === "" ? { path } : { path, fragment: decode(fragment) };
}

/** A path as those compare that mean the same file: in any case, Unicode form, and with percent signs decoded or not. */
export function foldPath(path: string): string {
  return decode(path).normalize("NFC").toLowerCase();
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone percent sign stands for itself.
    return text;
  }
}

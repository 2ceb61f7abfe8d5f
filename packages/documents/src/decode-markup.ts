import { decodeBytes } from "./decode-bytes.ts";

/**
 * Decodes XML or HTML by its byte order mark, its declaration (`encoding="…"`, `<meta charset>`), else UTF-8.
 * Bytes that the encoding does not have become U+FFFD, as browsers do it.
 */
export function decodeMarkup(bytes: Uint8Array): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1_024));
  let label = /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/u.exec(head)?.[1];
  label ??= /<meta\s[^>]*charset\s*=\s*["']?([\w.:-]+)/iu.exec(head)?.[1];
  if (bytes[0] === 0xfe && bytes[1] === 0xff) label = "utf-16be";
  else if (bytes[0] === 0xff && bytes[1] === 0xfe) label = "utf-16le";
  else if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) label = "utf-8";
  // A declaration that could be read as single bytes cannot be true when it says UTF-16.
  else if (label !== undefined && /^utf-?16/iu.test(label)) label = "utf-8";
  const text = label === undefined ? undefined : decodeBytes(bytes, label, false);
  return text ?? new TextDecoder().decode(bytes);
}

import { decodeBytes } from "./decode-bytes.ts";

/**
 * Decodes XML or HTML by its byte order mark, its declaration (`encoding="…"`, `<meta charset>`), else UTF-8.
 * UTF-16 without a mark shows by its first sign (XML 1.0, appendix F). Bytes that are not UTF-8 although nothing or a
 * declaration says so are windows-1252 where hardly any of them are UTF-8; what stays unknown becomes U+FFFD.
 */
export function decodeMarkup(bytes: Uint8Array): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1_024));
  let label = /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/u.exec(head)?.[1];
  label ??= /<meta\s[^>]*charset\s*=\s*["']?([\w.:-]+)/iu.exec(head)?.[1];
  if (bytes[0] === 0xfe && bytes[1] === 0xff) label = "utf-16be";
  else if (bytes[0] === 0xff && bytes[1] === 0xfe) label = "utf-16le";
  else if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) label = "utf-8";
  else if (bytes[0] === 0x3c && bytes[1] === 0 && bytes[2] !== 0) label = "utf-16le";
  else if (bytes[0] === 0 && bytes[1] === 0x3c) label = "utf-16be";
  // A declaration that could be read as single bytes cannot be true when it says UTF-16.
  else if (label !== undefined && /^utf-?16/iu.test(label)) label = "utf-8";
  const text = label === undefined ? undefined : decodeBytes(bytes, label, false);
  if (text !== undefined && !/^utf-?8$/iu.test(label ?? "")) return text;
  const lenient = text ?? new TextDecoder().decode(bytes);
  if (!lenient.includes("\uFFFD")) return lenient;
  const damaged = lenient.match(/\uFFFD/gu)?.length ?? 0;
  const sound = lenient.match(/[^\0-\u007F\uFFFD]/gu)?.length ?? 0;
  return sound < damaged ? (decodeBytes(bytes, "windows-1252", false) ?? lenient) : lenient;
}

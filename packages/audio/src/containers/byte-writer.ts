/** Big-endian numbers and joined bytes: what MP4, ID3 and FLAC are made of. */
export function u8(...values: number[]): Uint8Array {
  return Uint8Array.from(values);
}

export function u16(value: number): Uint8Array {
  return u8((value >>> 8) & 255, value & 255);
}

export function u24(value: number): Uint8Array {
  return u8((value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

export function u32(value: number): Uint8Array {
  return u8((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

/** Whole numbers up to 2^53. */
export function u64(value: number): Uint8Array {
  return join(u32(Math.floor(value / 2 ** 32)), u32(value % 2 ** 32));
}

/** One byte per character; for names that are ASCII (or hold © as 0xA9). */
export function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 255);
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The longest beginning of `text` that takes at most `limit` bytes as UTF-8, cut between characters. */
export function utf8Within(text: string, limit: number): Uint8Array {
  const bytes = utf8(text);
  if (bytes.length <= limit) return bytes;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

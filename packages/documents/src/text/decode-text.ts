import { AppError } from "@katari/core";
import { decodeBytes } from "../decode-bytes.ts";

/** A decoded file and the name of its encoding, as the WHATWG encoding standard spells it. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: string;
}

/**
 * Decodes a text file: by byte order mark; UTF-8 where the bytes are; UTF-16 by its zero bytes; else the one of
 * Shift_JIS (CP932) and EUC-JP that gives more Japanese; else windows-1252, which has a character for every byte.
 * @throws AppError `damaged-source` when a byte order mark promises UTF-8 or UTF-16 and the bytes are not
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) {
    const text = decodeBytes(bytes, marked, true);
    if (text !== undefined) return { text, encoding: marked };
    throw new AppError("damaged-source", `The file says that it is ${marked.toUpperCase()}, but it is not.`, {
      cure: "Save it again as UTF-8 with a text editor.",
    });
  }
  const wide = wideEncoding(bytes);
  for (const encoding of wide === undefined ? ["utf-8"] : [wide, "utf-8"]) {
    const text = decodeBytes(bytes, encoding, true);
    if (text !== undefined) return { text, encoding };
  }
  const candidates = ["shift_jis", "euc-jp"].flatMap((encoding) => {
    const text = decodeBytes(bytes, encoding, true);
    return text === undefined ? [] : [{ text, encoding, score: japaneseShare(text) }];
  });
  const best = candidates.sort((a, b) => b.score - a.score)[0];
  if (best && best.score > 0.5) return { text: best.text, encoding: best.encoding };
  return { text: lineByLine(bytes), encoding: "windows-1252" };
}

/** A file pieced together from several has lines in UTF-8 among those in windows-1252. */
function lineByLine(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const stop = bytes.indexOf(0x0a, start);
    const end = stop < 0 ? bytes.length : stop + 1;
    const line = bytes.subarray(start, end);
    parts.push(decodeBytes(line, "utf-8", true) ?? decodeBytes(line, "windows-1252", false) ?? "");
    start = end;
  }
  return parts.join("");
}

function markedEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return undefined;
}

function wideEncoding(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, 4_096);
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > sample.length / 4 && even === 0) return "utf-16le";
  return even > sample.length / 4 && odd === 0 ? "utf-16be" : undefined;
}

/** Share of the characters beyond ASCII that Japanese prose is written with; half-width kana are a sign of a misreading. */
function japaneseShare(text: string): number {
  let beyond = 0;
  let japanese = 0;
  let kana = 0;
  for (const character of text) {
    if (character.charCodeAt(0) < 0x80) continue;
    beyond++;
    if (/[\u3000-\u30FF\u4E00-\u9FFF\uFF01-\uFF5E―…]/u.test(character)) japanese++;
    if (/[\u3041-\u30FF]/u.test(character)) kana++;
  }
  // Accented Latin letters read as Shift_JIS give kanji, but never a tenth of kana.
  return kana < beyond / 10 ? 0 : japanese / beyond;
}

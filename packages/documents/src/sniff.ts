/** What the first bytes of a file say it is. */
export type ContentKind = "zip" | "text" | { readonly unsupported: string; readonly cure: string };

const asEpub = "Convert it to EPUB or plain text (Calibre does it) and narrate that.";
const asText = "Save its text as EPUB, Markdown or plain text and narrate that.";
const notText = "Choose an EPUB, Markdown or plain text file.";

const signatures: readonly (readonly [offset: number, bytes: string, name: string, cure: string])[] = [
  [0, "%PDF-", "a PDF", asEpub],
  [0, "{\\rtf", "a Rich Text document (RTF)", asText],
  [0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "an old Microsoft Office document", asText],
  [60, "BOOKMOBI", "a Kindle book (MOBI or AZW)", asEpub],
  [60, "TEXtREAd", "a Palm book", asEpub],
  [0, "\xEADRMION", "an encrypted Kindle book (KFX)", asEpub],
  [0, "AT&TFORM", "a DjVu scan", asEpub],
  [0, "ITSF", "a compiled help file (CHM)", asEpub],
  [0, "\x89PNG", "an image (PNG)", notText],
  [0, "\xFF\xD8\xFF", "an image (JPEG)", notText],
  [0, "GIF8", "an image (GIF)", notText],
  [8, "WEBP", "an image (WebP)", notText],
  [0, "II*\0", "an image (TIFF)", notText],
  [0, "MM\0*", "an image (TIFF)", notText],
  [0, "ID3", "an audio file (MP3)", notText],
  [0, "fLaC", "an audio file (FLAC)", notText],
  [0, "OggS", "an audio file (Ogg)", notText],
  [8, "WAVE", "an audio file (WAV)", notText],
  [4, "ftyp", "an audio or video file (MP4)", notText],
  [0, "\x1A\x45\xDF\xA3", "a video file (Matroska)", notText],
  [0, "\x1F\x8B", "a gzip archive", "Unpack it and narrate the book inside."],
  [0, "7z\xBC\xAF", "a 7-Zip archive", "Unpack it and narrate the book inside."],
  [0, "Rar!", "a RAR archive", "Unpack it and narrate the book inside."],
  [0, "\x7FELF", "a program", notText],
  [0, "MZ\x90", "a program", notText],
  [0, "SQLite format 3", "a database", notText],
];

/**
 * Tells what a file is from its first bytes (4,096 are enough), whatever its name says. Text in UTF-16 without a byte
 * order mark is told from binary data by where its zero bytes stand.
 */
export function sniffContent(head: Uint8Array): ContentKind {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1");
  if (["PK\x03\x04", "PK\x05\x06", "PK\x07\x08"].some((mark) => text.startsWith(mark))) return "zip";
  for (const [offset, bytes, name, cure] of signatures) {
    if (text.startsWith(bytes, offset)) return { unsupported: name, cure };
  }
  if (
    /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)*<(?:!doctype\s+html|html)\b/iu.test(text.replace(/^ï»¿/u, ""))
  ) {
    return { unsupported: "a web page (HTML)", cure: asText };
  }
  if (/^(?:ï»¿)?\s*<\?xml[^>]*>[^]*<FictionBook\b/u.test(text))
    return { unsupported: "a FictionBook (FB2)", cure: asEpub };
  if (/^(?:ï»¿)?\s*<\?xml\b/u.test(text)) return { unsupported: "an XML document", cure: asText };
  return isBinary(head) ? { unsupported: "binary data, not text", cure: notText } : "text";
}

function isBinary(head: Uint8Array): boolean {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return false;
  let control = 0;
  const zeros = [0, 0];
  for (const [index, byte] of head.entries()) {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
    else if (byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32) || byte === 127) control++;
  }
  const [even = 0, odd = 0] = zeros;
  // Latin text in UTF-16 has a zero in nearly every second byte and none in the others.
  const wide = Math.max(even, odd) > head.length / 4 && Math.min(even, odd) < head.length / 64;
  return (even + odd > 0 && !wide) || control > head.length / 50;
}

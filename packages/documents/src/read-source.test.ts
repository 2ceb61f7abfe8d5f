import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { epubFiles, readBytes, texts, writeZip } from "./epub.fixture.ts";
import { readSource } from "./read-source.ts";

const latin = (text: string): Buffer => Buffer.from(text, "latin1");

describe("files that are no book", () => {
  it.each([
    ["a PDF", "book.epub", latin("%PDF-1.7\n"), /PDF/u],
    ["a Word document", "book.epub", writeZip({ "[Content_Types].xml": "x", "word/document.xml": "x" }), /DOCX/u],
    [
      "an OpenDocument file",
      "book.zip",
      writeZip({ mimetype: "application/vnd.oasis.opendocument.text" }),
      /OpenDocument/u,
    ],
    ["another ZIP archive", "book.epub", writeZip({ "a.txt": "x" }), /no EPUB/u],
    ["a ZIP archive around a book", "b.zip", writeZip({ "in/b.epub": "x" }), /in\/b\.epub/u],
    ["an image", "book.txt", latin("\x89PNG\r\n\x1a\n"), /PNG/u],
    ["a Kindle book", "book.mobi", latin(`${"\0".repeat(60)}BOOKMOBI`), /Kindle/u],
    ["an old Word document", "book.doc", latin("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), /Office/u],
    ["RTF", "book.rtf", latin("{\\rtf1 x}"), /RTF/u],
    ["a web page", "book.txt", latin("<!DOCTYPE html><html><body>x</body></html>"), /HTML/u],
    ["an audio file", "book.mp3", latin("ID3\x04\0"), /MP3/u],
    ["binary data", "book.txt", Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 37) % 256)), /binary/u],
  ])("refuses %s, says what it is and what to do", async (_, name, bytes, message) => {
    const failure = readBytes(bytes, name);
    await expect(failure).rejects.toMatchObject({
      code: "unsupported-format",
      message: expect.stringMatching(message) as string,
    });
    await expect(failure).rejects.toHaveProperty("cure", expect.stringMatching(/\w/u));
  });

  it.each([
    ["an empty file", ""],
    ["a file of white space", " \n\n"],
    ["front matter without text", "---\ntitle: x\n---\n"],
  ])("refuses %s", async (_, text) => {
    await expect(readBytes(text, "b.txt")).rejects.toMatchObject({ code: "empty-source" });
  });

  it("refuses a folder and a file that is not there", async () => {
    const folder = await mkdtemp(join(tmpdir(), "katari-documents-"));
    try {
      await expect(readSource({ path: folder, fileName: "f" })).rejects.toMatchObject({ code: "unsupported-format" });
      await expect(readSource({ path: join(folder, "no.epub"), fileName: "no.epub" })).rejects.toMatchObject({
        code: "not-found",
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("stops when it is cancelled", async () => {
    const signal = AbortSignal.abort();
    await expect(readSource({ path: "x", fileName: "x", signal })).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("the kind of a file", () => {
  it("is told by its content, not its name", async () => {
    expect((await readBytes(writeZip(epubFiles({ pages: { "1.xhtml": "<p>x</p>" } })), "book.txt")).format).toBe(
      "epub",
    );
    expect((await readBytes("Just words.", "book.epub")).format).toBe("text");
    expect((await readBytes("# One\n\na\n\n# Two\n\nb\n", "book.txt")).format).toBe("markdown");
    expect((await readBytes("Just words.", "book.md")).format).toBe("markdown");
  });

  it.each([
    ["utf-8", Buffer.from("Café — “x”"), "utf-8"],
    ["UTF-8 with a mark", Buffer.from("\uFEFFCafé — “x”"), "utf-8"],
    ["UTF-16 with a mark", Buffer.from("\uFEFFCafé — “x”", "utf16le"), "utf-16le"],
    ["UTF-16 without a mark", Buffer.from("Cafe and more of it", "utf16le"), "utf-16le"],
    // 走れ, メロスは。 in JIS X 0208 (走 3176 れ 2 4EC …), encoded by iconv.
    ["Shift_JIS", Buffer.from("919682ea81418381838d835882cd8142", "hex"), "shift_jis"],
    ["EUC-JP", Buffer.from("c1f6a4eca1a2a5e1a5eda5b9a4cfa1a3", "hex"), "euc-jp"],
    ["windows-1252", Buffer.from("436166e9209720937894", "hex"), "windows-1252"],
  ])("is text in %s", async (_, bytes, encoding) => {
    const tree = await readBytes(bytes, "b.txt");
    expect(tree.encoding).toBe(encoding);
    const expected = encoding.includes("jis") || encoding.startsWith("euc") ? "走れ、メロスは。" : "Café — “x”";
    expect(texts(tree)).toEqual([bytes.length > 36 ? "Cafe and more of it" : expected]);
  });
});

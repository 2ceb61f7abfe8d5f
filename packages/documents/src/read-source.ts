import { open } from "node:fs/promises";
import { AppError, type SourceTree } from "@katari/core";
import { openArchive, type Archive } from "./epub/archive.ts";
import { readEpub } from "./epub/read-epub.ts";
import { looksLikeMarkdown, readMarkdown } from "./markdown/read-markdown.ts";
import { sniffContent } from "./sniff.ts";
import { decodeText } from "./text/decode-text.ts";
import { readText } from "./text/read-text.ts";

export interface ReadSourceInput {
  /** Where the file is. */
  readonly path: string;
  /** What the person calls it; names the book when it says no title. */
  readonly fileName: string;
  readonly signal?: AbortSignal;
}

/** A text file of a million words has about 6 MB. */
const textLimitBytes = 64 * 1024 * 1024;
/** Markdown takes some three hundred times its size in memory while it is parsed. */
const markdownLimitBytes = 16 * 1024 * 1024;

/**
 * Reads a source file: EPUB 2 or 3, Markdown, or plain text in any of the common encodings. The content decides, the
 * name only where content cannot tell (Markdown or plain text). Every character of the source is in exactly one block
 * or in one skipped range, which is proved before the tree is returned.
 * @throws AppError `unsupported-format`, `encrypted-source`, `empty-source`, `damaged-source`, `too-large`,
 *   `not-found`, `no-permission`, `cancelled`; `internal` when text would be lost
 */
export async function readSource(input: ReadSourceInput): Promise<SourceTree> {
  try {
    return await readKnown(input);
  } catch (error) {
    throw AppError.from(error);
  }
}

/**
 * Looks at the first bytes alone: cheap enough to refuse a PDF or a picture before anything is started.
 * @throws AppError `unsupported-format`, `empty-source`, `not-found`, `no-permission`
 */
export async function checkSourceKind({ path, fileName }: ReadSourceInput): Promise<void> {
  try {
    await kindOf(path, fileName);
  } catch (error) {
    throw AppError.from(error);
  }
}

async function kindOf(path: string, fileName: string): Promise<{ kind: "zip" | "text"; sizeBytes: number }> {
  const { head, sizeBytes } = await readHead(path, fileName);
  if (sizeBytes === 0)
    throw new AppError("empty-source", `${fileName} is empty.`, { cure: "Choose a file with text." });
  const kind = sniffContent(head);
  if (typeof kind === "object") {
    throw new AppError("unsupported-format", `${fileName} is ${kind.unsupported}, which cannot be read.`, {
      cure: kind.cure,
    });
  }
  return { kind, sizeBytes };
}

async function readKnown({ path, fileName, signal }: ReadSourceInput): Promise<SourceTree> {
  signal?.throwIfAborted();
  const { kind, sizeBytes } = await kindOf(path, fileName);
  if (kind === "zip") return readZip(path, fileName, signal);
  if (sizeBytes > textLimitBytes) throw textTooLarge(fileName, sizeBytes, "64 MiB");
  const decoded = decodeText(await readAll(path, sizeBytes, signal));
  const name = path.split("/").pop() ?? fileName;
  const markdown = /\.(?:md|markdown|mdown|mkd)$/iu.test(fileName) || /\.(?:md|markdown)$/iu.test(name);
  if (!markdown && !looksLikeMarkdown(decoded.text)) return readText(decoded, fileName);
  if (sizeBytes > markdownLimitBytes) throw textTooLarge(fileName, sizeBytes, "16 MiB of Markdown");
  return readMarkdown(decoded, fileName);
}

function textTooLarge(fileName: string, sizeBytes: number, limit: string): AppError {
  return new AppError("too-large", `${fileName} has ${String(sizeBytes)} bytes of text; the limit is ${limit}.`, {
    cure: "Split it into several files.",
    details: { sizeBytes },
  });
}

async function readHead(path: string, fileName: string): Promise<{ head: Uint8Array; sizeBytes: number }> {
  const file = await open(path, "r");
  try {
    const facts = await file.stat();
    if (!facts.isFile()) {
      throw new AppError("unsupported-format", `${fileName} is ${facts.isDirectory() ? "a folder" : "not a file"}.`, {
        cure: "Choose an EPUB, Markdown or plain text file.",
      });
    }
    const bytes = new Uint8Array(4_096);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return { head: bytes.subarray(0, bytesRead), sizeBytes: facts.size };
  } finally {
    await file.close();
  }
}

async function readAll(path: string, sizeBytes: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const bytes = new Uint8Array(sizeBytes);
    let at = 0;
    while (at < sizeBytes) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(bytes, at, Math.min(1024 * 1024, sizeBytes - at), at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return bytes.subarray(0, at);
  } finally {
    await file.close();
  }
}

async function readZip(path: string, fileName: string, signal: AbortSignal | undefined): Promise<SourceTree> {
  const archive = await openArchive(path, signal);
  try {
    const other = await foreignZip(archive);
    if (other !== undefined) {
      throw new AppError("unsupported-format", `${fileName} is ${other}, which cannot be read.`, {
        cure: "Save its text as EPUB, Markdown or plain text and narrate that.",
      });
    }
    return await readEpub(archive, fileName, signal);
  } finally {
    archive.close();
  }
}

/** What a ZIP archive is when it is no EPUB. */
async function foreignZip(archive: Archive): Promise<string | undefined> {
  const { names } = archive;
  const type = names.has("mimetype") ? new TextDecoder().decode(await archive.read("mimetype", 1_024)).trim() : "";
  if (type === "application/epub+zip" || archive.has("META-INF/container.xml")) return undefined;
  if (type.startsWith("application/vnd.oasis.opendocument")) return "an OpenDocument file";
  if (names.has("word/document.xml")) return "a Word document (DOCX)";
  if (names.has("xl/workbook.xml")) return "an Excel workbook";
  if (names.has("ppt/presentation.xml")) return "a PowerPoint presentation";
  const inner = [...names].find((name) => name.toLowerCase().endsWith(".epub"));
  return inner === undefined
    ? "a ZIP archive that is no EPUB"
    : `a ZIP archive; unpack it and take ${inner} from it: it`;
}

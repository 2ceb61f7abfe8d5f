import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { importIndexSchema, importedDocumentSchema, type ImportTask } from "@katari/contracts";
import { AppError, countCharacters } from "@katari/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStudio, type Studio } from "../fixtures/studio.ts";
import { parseJson, sha256Hex } from "../voice-shelf.ts";
import { createImportHandler } from "./import.ts";

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.dispose());

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function importSource(content: Uint8Array, fileName: string, over: Partial<ImportTask> = {}) {
  const sourceDigest = sha256Hex(content);
  const sourceKey = `sources/${sourceDigest}`;
  await studio.store.put(sourceKey, content);
  const task: ImportTask = {
    v: 1,
    kind: "import",
    taskId: "import-1",
    attempt: 1,
    projectId: "project-1",
    timeoutMs: 60_000,
    sourceKey,
    sourceDigest,
    fileName,
    importRevision: 1,
    ...over,
  };
  const shares: number[] = [];
  const work = createImportHandler({ store: studio.store, scratchFolder: studio.folder });
  const result = await work(task, { signal: new AbortController().signal, progress: (share) => shares.push(share) });
  if (result.kind !== "import") throw new Error("not an import");
  const read = async (key: string) => parseJson(await studio.store.get(key));
  const index = importIndexSchema.parse(await read(result.indexKey));
  const documents = [];
  for (const { objectKey } of index.documents) documents.push(importedDocumentSchema.parse(await read(objectKey)));
  return { result, index, documents, shares };
}

async function failure(work: Promise<unknown>): Promise<AppError> {
  try {
    await work;
  } catch (error) {
    return AppError.from(error);
  }
  throw new Error("it should have failed");
}

const book = `# A Short Book

## One

It was late. "Is anyone there?" she asked [1]. Nobody answered…

* * *

He left.

## Two

The second chapter.
`;

describe("the import handler", () => {
  it("writes the index and one object for each document, with segments that are sentences", async () => {
    const { result, index, documents, shares } = await importSource(bytes(book), "book.md");
    expect(result).toEqual({ kind: "import", indexKey: "imports/import-1/index.json" });
    expect(index.metadata.title).toBe("A Short Book");
    const texts = documents.flatMap((each) => each.blocks.flatMap((block) => block.segments.map((s) => s.text)));
    expect(texts).toContain("It was late.");
    expect(texts).toContain("The second chapter.");
    expect(texts.indexOf("It was late.")).toBeLessThan(texts.indexOf("The second chapter."));
    for (const [at, each] of index.documents.entries()) expect(each.id).toBe(documents[at]?.id);
    expect(shares.at(-1)).toBe(1);
  });

  it("accounts for every character: segments, skips of blocks and skips of the tree add up to the files", async () => {
    const { index, documents } = await importSource(bytes(book), "book.md");
    const sum = (list: readonly { characters: number }[]) => list.reduce((total, each) => total + each.characters, 0);
    const blocks = documents.flatMap((each) => each.blocks);
    const voiced = sum(blocks.flatMap((block) => block.segments));
    const skipped = sum(blocks.flatMap((block) => block.skipped)) + sum(index.skipped);
    expect(voiced + skipped).toBe(sum(index.files));
    // The only file is the source itself: all its code points that are not white space.
    expect(sum(index.files)).toBe(countCharacters(book));
    expect(sum(index.documents)).toBe(voiced + sum(blocks.flatMap((block) => block.skipped)));
  });

  it("gives the same ids again, and other ids to another project, source or revision", async () => {
    const ids = async (content: string, over: Partial<ImportTask> = {}) => {
      const { documents } = await importSource(bytes(content), "book.md", over);
      return documents.flatMap((each) => [
        each.id,
        ...each.blocks.flatMap((block) => [block.id, ...block.segments.map((segment) => segment.id)]),
      ]);
    };
    const first = await ids(book);
    expect(new Set(first).size).toBe(first.length);
    for (const id of first) expect(id).toMatch(/^[0-9a-f]{32}$/u);
    expect(await ids(book, { taskId: "import-2" })).toEqual(first);
    for (const other of [
      await ids(book, { projectId: "project-2" }),
      await ids(book, { importRevision: 2 }),
      await ids(`${book}\nMore.\n`),
    ])
      expect(other.filter((id) => first.includes(id))).toEqual([]);
  });

  it("fails with a cure on what is not a book, an empty file and a changed source", async () => {
    const pdf = await failure(importSource(bytes("%PDF-1.7\n%âãÏÓ\n1 0 obj\n"), "book.pdf"));
    expect(pdf).toMatchObject({ code: "unsupported-format", retryable: false });
    expect(pdf.cure).toMatch(/\S/u);
    expect(await failure(importSource(new Uint8Array(0), "empty.txt"))).toMatchObject({ code: "empty-source" });
    const changed = failure(importSource(bytes("Hello."), "a.txt", { sourceDigest: "0".repeat(64) }));
    expect(await changed).toMatchObject({ code: "damaged-source" });
  });

  it("leaves no file behind, whether it succeeds, fails or is cancelled", async () => {
    const before = await readdir(studio.folder);
    await importSource(bytes(book), "book.md");
    await failure(importSource(new Uint8Array(0), "empty.txt"));
    const work = createImportHandler({ store: studio.store, scratchFolder: studio.folder });
    const content = bytes(book);
    await studio.store.put("sources/x", content);
    const task = { v: 1, kind: "import", taskId: "gone", attempt: 1, projectId: "p", timeoutMs: 1_000 } as const;
    const source = { sourceKey: "sources/x", sourceDigest: sha256Hex(content), fileName: "x.md", importRevision: 1 };
    const cancelled = work({ ...task, ...source }, { signal: AbortSignal.abort(), progress: () => undefined });
    expect(await failure(cancelled)).toMatchObject({ code: "cancelled" });
    expect(await studio.store.head("imports/gone/index.json")).toBeUndefined();
    expect(await readdir(studio.folder)).toEqual(before);
  });

  const timeMachine = fileURLToPath(new URL("../../../../../shared/books/the-time-machine.epub", import.meta.url));
  it("imports a real book with nothing lost", async (context) => {
    if (!existsSync(timeMachine)) {
      if (process.env["KATARI_REQUIRE_ALL"] === "1") throw new Error("the shared books are required");
      context.skip("needs ../shared/books");
    }
    const { index, documents } = await importSource(await readFile(timeMachine), "the-time-machine.epub");
    // I to XII and the epilogue.
    expect(index.documents).toHaveLength(13);
    expect(documents.flatMap((each) => each.blocks.flatMap((block) => block.segments)).length).toBeGreaterThan(1_000);
    expect(index.skipped.length).toBeGreaterThan(0);
    expect(index.cover?.mediaType).toMatch(/^image\//u);
    expect(await studio.store.head(index.cover?.objectKey ?? "none")).toBeDefined();
  });
});

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { ImportIndex, ImportTask, ImportedDocument } from "@katari/contracts";
import { AppError, canonicalJson, countCharacters, type SourceBlock, type SourceTree } from "@katari/core";
import { readSource } from "@katari/documents";
import type { ObjectStore } from "@katari/storage";
import { segmentBlock } from "@katari/text";
import type { JobContext, JobResult } from "../job-lane.ts";
import { sha256Hex } from "../voice-shelf.ts";
import { withScratchFile } from "./scratch-file.ts";

export interface ImportHandlerOptions {
  readonly store: ObjectStore;
  /** Folder for the source while it is read. */
  readonly scratchFolder: string;
}

type ImportedBlock = ImportedDocument["blocks"][number];

/** Share of the work that reading takes; the rest is cutting and writing. */
const readingShare = 0.3;

/**
 * Reads a source and writes what was found into the store: `imports/<task>/<n>.json` for each document in reading
 * order, then `index.json`, which names them. Every character of the source is in a segment or in a named skip, or the
 * import fails with `damaged-source`. Ids are derived from project, source, import revision and place, so the same
 * import run twice gives the same ids. Throws AppError.
 */
export function createImportHandler({ store, scratchFolder }: ImportHandlerOptions) {
  return (task: ImportTask, { signal, progress }: JobContext): Promise<JobResult> =>
    withScratchFile(scratchFolder, endingOf(task.fileName), async (path) => {
      await fetchSource(store, task, path, signal);
      const tree = await readSource({ path, fileName: task.fileName, signal });
      progress(readingShare);

      const folder = `imports/${task.taskId}`;
      const put = (key: string, value: unknown): Promise<unknown> =>
        store.put(key, new TextEncoder().encode(JSON.stringify(value)), { contentType: "application/json", signal });
      const documents: ImportIndex["documents"] = [];
      let accounted = tree.skipped.reduce((sum, each) => sum + each.characters, 0);
      for (const [at, document] of tree.documents.entries()) {
        signal.throwIfAborted();
        const place = String(at + 1);
        const language = document.language ?? tree.metadata.language;
        const blocks = document.blocks.map((block, index) =>
          importBlock(block, language, task, `${place}/${index + 1}`),
        );
        const imported: ImportedDocument = { v: 1, id: derivedId(task, place), blocks };
        const objectKey = `${folder}/${place}.json`;
        await put(objectKey, imported);
        const segments = blocks.flatMap((block) => block.segments);
        const skipped = blocks.flatMap((block) => block.skipped);
        const characters = [...segments, ...skipped].reduce((sum, each) => sum + each.characters, 0);
        accounted += characters;
        const { title, anchor } = document;
        documents.push({ id: imported.id, title, objectKey, characters, segments: segments.length, anchor, language });
        progress(readingShare + ((1 - readingShare) * (at + 1)) / tree.documents.length);
      }
      checkComplete(tree, accounted);

      const cover = await putCover(store, tree, folder, signal);
      const index: ImportIndex = {
        v: 1,
        format: tree.format,
        metadata: { ...tree.metadata, authors: [...tree.metadata.authors] },
        files: tree.files.map((file) => ({ ...file })),
        documents,
        skipped: tree.skipped.map((each) => ({ ...each })),
        ...(tree.encoding === undefined ? {} : { encoding: tree.encoding }),
        ...(cover ? { cover } : {}),
      };
      // Last: whoever finds the index finds everything that it names.
      await put(`${folder}/index.json`, index);
      return { kind: "import", indexKey: `${folder}/index.json` };
    });
}

/** The block with its segments. A skip inside a segment's range takes its characters out of the segment. */
function importBlock(block: SourceBlock, documentLanguage: string, task: ImportTask, place: string): ImportedBlock {
  const language = block.language ?? documentLanguage;
  const { segments, skipped } = segmentBlock(block, language);
  const charactersIn = (start: number, end: number): number => countCharacters(block.text.slice(start, end));
  const skippedIn = (start: number, end: number): number =>
    skipped
      .filter((skip) => skip.start >= start && skip.end <= end)
      .reduce((sum, skip) => sum + charactersIn(skip.start, skip.end), 0);
  return {
    id: derivedId(task, place),
    kind: block.kind,
    language,
    text: block.text,
    spans: block.spans.map((span) => ({ ...span })),
    range: { ...block.range },
    anchor: { ...block.anchor },
    segments: segments.map((segment, index) => ({
      id: derivedId(task, `${place}/${index + 1}`),
      start: segment.start,
      end: segment.end,
      text: segment.text,
      boundary: { ...segment.boundary },
      characters: charactersIn(segment.start, segment.end) - skippedIn(segment.start, segment.end),
    })),
    skipped: skipped.map(({ rule, start, end }) => ({ rule, start, end, characters: charactersIn(start, end) })),
    ...(block.level === undefined ? {} : { level: block.level }),
  };
}

/** 128 bits of a hash over everything that makes the place unique. */
function derivedId({ projectId, sourceDigest, importRevision }: ImportTask, place: string): string {
  return sha256Hex(canonicalJson([projectId, sourceDigest, importRevision, place])).slice(0, 32);
}

/** Throws `damaged-source` when the parts do not add up to the whole: text would be lost without a word. */
function checkComplete(tree: SourceTree, accounted: number): void {
  const whole = tree.files.reduce((sum, file) => sum + file.characters, 0);
  if (accounted === whole) return;
  throw new AppError("damaged-source", `Of ${whole} characters of the source, ${accounted} are accounted for.`, {
    cure: "Report this book: it is read wrongly, and nothing was imported so that no text is lost unseen.",
    details: { whole, accounted },
  });
}

/** Copies the source to a file, and proves that it is the one that was uploaded. */
async function fetchSource(store: ObjectStore, task: ImportTask, path: string, signal: AbortSignal): Promise<void> {
  const hash = createHash("sha256");
  const file = await open(path, "wx");
  try {
    for await (const chunk of store.stream(task.sourceKey, { signal })) {
      hash.update(chunk);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
  if (hash.digest("hex") === task.sourceDigest) return;
  throw new AppError("damaged-source", "The stored source is not the file that was uploaded.", {
    cure: "Upload the file again.",
  });
}

async function putCover(store: ObjectStore, { cover }: SourceTree, folder: string, signal: AbortSignal) {
  if (!cover) return undefined;
  const { mediaType } = cover;
  const objectKey = `${folder}/cover.${mediaType === "image/png" ? "png" : "jpg"}`;
  await store.put(objectKey, cover.bytes, { contentType: mediaType, signal });
  return { objectKey, mediaType };
}

/** The file's ending, where it is a plain one: readers may look at it. */
const endingOf = (fileName: string): string => /\.[A-Za-z0-9]{1,12}$/u.exec(fileName)?.[0] ?? "";

import type { ImportedDocument } from "@katari/contracts";
import type { DatabaseHandle } from "@katari/database";
import {
  insertBlocks,
  insertSegments,
  insertSkippedTexts,
  markDocumentLoaded,
  type NewBlock,
  type NewSegment,
  type NewSkippedText,
} from "@katari/database/statements";

interface Page {
  readonly blocks: NewBlock[];
  readonly segments: NewSegment[];
  readonly skipped: NewSkippedText[];
}

/** A page is closed at this many rows of one table. */
const pageSize = 500;

/** Places of skipped texts inside chapters: after those of the whole source, and in the order of the chapters. */
const skippedPerDocument = 1_000_000;

/** Writes the blocks of one chapter with their segments, a page a transaction, and marks it loaded at the end. */
export async function loadDocument(
  database: DatabaseHandle,
  input: {
    readonly projectId: string;
    readonly documentId: string;
    readonly ordinal: number;
    readonly chapter: ImportedDocument;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { projectId, documentId } = input;
  for (const page of pagesOf(input)) {
    input.signal.throwIfAborted();
    await database.transaction(async (trx) => {
      await insertBlocks(trx, { documentId, rows: page.blocks });
      await insertSegments(trx, { projectId, documentId, rows: page.segments });
      await insertSkippedTexts(trx, { projectId, rows: page.skipped });
    });
  }
  await database.transaction((trx) => markDocumentLoaded(trx, documentId));
}

function* pagesOf(input: {
  readonly documentId: string;
  readonly ordinal: number;
  readonly chapter: ImportedDocument;
}): Iterable<Page> {
  const { documentId, chapter } = input;
  const firstSkipped = (input.ordinal + 1) * skippedPerDocument;
  let page: Page = { blocks: [], segments: [], skipped: [] };
  let segmentOrdinal = 0;
  let skippedOrdinal = 0;
  for (const [blockOrdinal, block] of chapter.blocks.entries()) {
    page.blocks.push({
      id: block.id,
      ordinal: blockOrdinal,
      kind: block.kind,
      ...(block.level === undefined ? {} : { level: block.level }),
      language: block.language,
      text: block.text,
      spans: block.spans,
      source_range: block.range,
      anchor: block.anchor,
    });
    for (const [index, skipped] of block.skipped.entries())
      page.skipped.push({
        id: `${block.id}/${index}`,
        document_id: documentId,
        ordinal: firstSkipped + skippedOrdinal++,
        rule: skipped.rule,
        source_range: block.range,
        characters: skipped.characters,
      });
    for (const segment of block.segments) {
      // A block longer than a page goes on in the next one: its row is written before its segments in any case.
      if (page.segments.length >= pageSize) {
        yield page;
        page = { blocks: [], segments: [], skipped: [] };
      }
      page.segments.push({
        id: segment.id,
        block_id: block.id,
        ordinal: segmentOrdinal++,
        range_start: segment.start,
        range_end: segment.end,
        text: segment.text,
        boundary: segment.boundary,
        characters: segment.characters,
      });
    }
    if (page.blocks.length >= pageSize || page.skipped.length >= pageSize) {
      yield page;
      page = { blocks: [], segments: [], skipped: [] };
    }
  }
  yield page;
}

import { importedDocumentSchema, importIndexSchema, type ImportIndex } from "@katari/contracts";
import { AppError } from "@katari/core";
import {
  appendEvents,
  describeProject,
  insertDocuments,
  insertSkippedTexts,
  insertSourceFiles,
  listDocuments,
  listImportsToLoad,
  refreshStatistics,
  setImportOutcome,
  sumCharacters,
} from "@katari/database/statements";
import { isPassingDatabaseError } from "@katari/database";
import type { z } from "zod";
import { storable } from "../collect/storable.ts";
import type { ServerContext } from "../server-context.ts";
import { createWakeLoop, type WakeLoop } from "../wake-loop.ts";
import { loadDocument } from "./load-document.ts";

/** Rows of one statement. */
const pageSize = 500;

/**
 * Brings the rows of finished imports into the database: first what is known of the whole source, then chapter by
 * chapter in pages, each its own transaction. Every id is derived (by the importer, from project, source and place) and every write passes over what is there, so after
 * a crash it goes on; chapters that are marked loaded are not read again. The last transaction makes the project
 * visible as `ready`, after counting that no character was lost on the way.
 */
export function createLoader(context: ServerContext): WakeLoop {
  const { database, logger, timing } = context;
  return createWakeLoop({
    name: "loader",
    tickMs: timing.tickMs,
    logger,
    async round(signal) {
      for (const { id, import_index_key } of await listImportsToLoad(database.db)) {
        if (signal.aborted) return;
        await loadImport(context, id, import_index_key, signal);
      }
    },
  });
}

async function loadImport(
  context: ServerContext,
  projectId: string,
  indexKey: string,
  signal: AbortSignal,
): Promise<void> {
  const { database, clock, logger } = context;
  try {
    const index = await readObject(context, indexKey, importIndexSchema, signal);
    await loadIndex(context, projectId, index);
    const loaded = new Set(
      (await listDocuments(database.db, projectId)).filter((row) => row.loaded).map((row) => row.id),
    );
    for (const [ordinal, document] of index.documents.entries()) {
      if (signal.aborted) return;
      const documentId = document.id;
      if (loaded.has(documentId)) continue;
      const chapter = await readObject(context, document.objectKey, importedDocumentSchema, signal);
      await loadDocument(database, { projectId, documentId, ordinal, chapter, signal });
    }
    if (signal.aborted) return;
    await refreshStatistics(database.db, "import");
    const sums = await sumCharacters(database.db, projectId);
    if (sums.files !== sums.segments + sums.skipped)
      throw new AppError("internal", "The import lost text of the source.", {
        cure: "Report it with the file, please: Katari leaves nothing out without saying so.",
        details: { ...sums },
      });
    const nowMs = clock.now();
    await database.transaction(async (trx) => {
      const from = ["waiting", "running"] as const;
      const changed = await setImportOutcome(trx, { projectId, from, state: "ready" });
      if (changed)
        await appendEvents(trx, {
          projectId,
          events: [{ type: "import", state: "ready" }],
          nowMs,
          raiseRevision: true,
        });
    });
  } catch (error) {
    if (signal.aborted) return;
    const fault = AppError.from(error);
    // The store or the database may be back in a moment: the loop tries again.
    if (fault.retryable || isPassingDatabaseError(error)) throw error;
    logger.error({ projectId, error: fault, cause: fault.cause }, "An import could not be loaded.");
    await failImport(context, projectId, fault);
  }
}

async function failImport({ database, clock }: ServerContext, projectId: string, fault: AppError): Promise<void> {
  const failure = {
    code: fault.code,
    message: fault.message,
    ...(fault.cure === undefined ? {} : { cure: fault.cure }),
  };
  const nowMs = clock.now();
  await database.transaction(async (trx) => {
    const from = ["waiting", "running"] as const;
    const changed = await setImportOutcome(trx, { projectId, from, state: "failed", failure });
    if (changed)
      await appendEvents(trx, {
        projectId,
        events: [{ type: "import", state: "failed", message: fault.message }],
        nowMs,
      });
  });
}

async function loadIndex({ database }: ServerContext, projectId: string, index: ImportIndex): Promise<void> {
  const files = index.files.map((file, ordinal) => ({ ordinal, ...file }));
  for (const page of pagesOf(files))
    await database.transaction((trx) => insertSourceFiles(trx, { projectId, files: page }));
  const skipped = index.skipped.map((text, ordinal) => ({
    id: `${projectId}/${ordinal}`,
    ordinal,
    rule: text.rule,
    ...(text.title === undefined ? {} : { title: text.title }),
    source_range: text.range,
    characters: text.characters,
  }));
  for (const rows of pagesOf(skipped))
    await database.transaction((trx) => insertSkippedTexts(trx, { projectId, rows }));
  const documents = index.documents.map((document, ordinal) => ({
    id: document.id,
    ordinal,
    title: document.title,
    language: document.language,
    anchor: document.anchor,
    characters: document.characters,
    segments: document.segments,
  }));
  for (const rows of pagesOf(documents)) await database.transaction((trx) => insertDocuments(trx, { projectId, rows }));
  await database.transaction((trx) =>
    describeProject(trx, {
      projectId,
      title: index.metadata.title,
      authors: index.metadata.authors,
      language: index.metadata.language,
      metadata: index.metadata,
      ...(index.cover === undefined ? {} : { coverKey: index.cover.objectKey, coverMediaType: index.cover.mediaType }),
    }),
  );
}

function* pagesOf<T>(rows: readonly T[]): Iterable<readonly T[]> {
  for (let start = 0; start < rows.length; start += pageSize) yield rows.slice(start, start + pageSize);
}

async function readObject<T>(
  { store }: ServerContext,
  key: string,
  schema: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T> {
  const bytes = await store.get(key, { signal });
  const parsed = schema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
  if (!parsed.success)
    throw new AppError("internal", "The import wrote something that cannot be read.", { cause: parsed.error });
  return storable(parsed.data);
}

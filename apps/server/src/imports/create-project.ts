import { createHash, type Hash } from "node:crypto";
import { basename, extname } from "node:path";
import { AppError } from "@katari/core";
import { appendEvents, insertProject, insertTask } from "@katari/database/statements";
import { storable } from "../collect/storable.ts";
import type { ImportPayload } from "../dispatch/task-message.ts";
import type { ServerContext } from "../server-context.ts";

export interface SourceUpload {
  readonly ownerId: string;
  readonly fileName: string;
  readonly body: AsyncIterable<Uint8Array>;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

const importRevision = 1;

/**
 * Stores a source under the hash of its bytes, streamed through a key of its own since the hash is known only at the
 * end, and writes the project with its import task in one transaction. Throws `too-large`, `empty-source`,
 * `cancelled`; what was stored for a failed upload is deleted.
 */
export async function createProject(context: ServerContext, upload: SourceUpload): Promise<{ projectId: string }> {
  const { database, store, clock, newId } = context;
  const signal = upload.signal === undefined ? {} : { signal: upload.signal };
  const uploadKey = `uploads/${newId()}`;
  const measure = { hash: createHash("sha256"), sizeBytes: 0 };
  let source: { digest: string; objectKey: string };
  try {
    await store.put(uploadKey, measured(upload, measure), signal);
    if (measure.sizeBytes === 0)
      throw new AppError("empty-source", "The file is empty.", { cure: "Choose a file with text in it." });
    const digest = measure.hash.digest("hex");
    source = { digest, objectKey: `sources/${digest}` };
    if ((await store.head(source.objectKey, signal)) === undefined)
      await store.put(source.objectKey, store.stream(uploadKey, signal), signal);
  } finally {
    // Not under the caller's signal: what a cancelled upload left has to go as well.
    await store.delete([uploadKey]);
  }

  const projectId = newId();
  const fileName = storable(basename(upload.fileName)) || "source";
  const nowMs = clock.now();
  const payload: ImportPayload = {
    sourceKey: source.objectKey,
    sourceDigest: source.digest,
    fileName,
    importRevision,
  };
  await database.transaction(async (trx) => {
    await insertProject(trx, {
      id: projectId,
      ownerId: upload.ownerId,
      sourceId: newId(),
      // Until the import knows better.
      title: basename(fileName, extname(fileName)),
      digest: source.digest,
      fileName,
      sizeBytes: measure.sizeBytes,
      objectKey: source.objectKey,
      nowMs,
    });
    await insertTask(trx, { id: newId(), kind: "import", projectId, payload: { ...payload }, nowMs });
    await appendEvents(trx, { projectId, events: [{ type: "import", state: "waiting" }], nowMs });
  });
  return { projectId };
}

async function* measured(
  { body, maxBytes }: SourceUpload,
  measure: { readonly hash: Hash; sizeBytes: number },
): AsyncIterable<Uint8Array> {
  for await (const chunk of body) {
    measure.sizeBytes += chunk.byteLength;
    if (measure.sizeBytes > maxBytes)
      throw new AppError("too-large", `The file is larger than ${Math.floor(maxBytes / 1_000_000)} MB.`, {
        cure: "Choose a smaller file, or raise the limit of this server.",
        details: { maxBytes },
      });
    measure.hash.update(chunk);
    yield chunk;
  }
}

import type { StartConversion } from "@katari/contracts";
import { AppError } from "@katari/core";
import {
  appendEvents,
  findConversion,
  findProject,
  insertConversion,
  listDocuments,
  type ConversionRow,
  type ProjectRow,
} from "@katari/database/statements";
import { renderingOf, type Voices } from "../planner/voices.ts";
import type { ServerContext } from "../server-context.ts";

const defaultVoice = "af_heart";

/**
 * Starts a conversion of a project's documents (all when none are named) and pins its voice. Throws `conflict` while
 * the import is not ready, `unknown-voice`, and `invalid-argument` for documents of something else. With the
 * idempotency key of an earlier one, that one is returned.
 */
export async function startConversion(
  context: ServerContext,
  voices: Voices,
  input: StartConversion & { readonly ownerId: string; readonly projectId: string; readonly idempotencyKey?: string },
): Promise<ConversionRow> {
  const { database, clock, newId, sha256 } = context;
  const { ownerId, projectId, idempotencyKey } = input;
  if (idempotencyKey !== undefined) {
    const known = await findConversion(database.db, { ownerId, projectId, idempotencyKey });
    if (known !== undefined) return known;
  }
  const project = await findProject(database.db, { projectId, ownerId });
  if (project === undefined) throw new AppError("not-found", "There is no such project.", { cure: "Check its id." });
  requireReady(project);
  const documentIds = await chooseDocuments(context, projectId, input.documents);
  const { manifest } = await voices.load(input.voice ?? defaultVoice);
  const id = newId();
  const nowMs = clock.now();
  const made = await database.transaction(async (trx) => {
    const inserted = await insertConversion(trx, {
      id,
      projectId,
      ownerId,
      rendering: renderingOf(manifest, input.speed ?? 1, sha256),
      lane: manifest.lane,
      documentIds,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      nowMs,
    });
    if (inserted)
      await appendEvents(trx, {
        projectId,
        events: [{ type: "conversion", conversionId: id, state: "planning" }],
        nowMs,
      });
    return inserted;
  });
  const which =
    made || idempotencyKey === undefined ? { ownerId, conversionId: id } : { ownerId, projectId, idempotencyKey };
  const conversion = await findConversion(database.db, which);
  if (conversion === undefined)
    throw new AppError("not-found", "The project was deleted.", { cure: "Import it again." });
  return conversion;
}

function requireReady(project: ProjectRow): void {
  if (project.import_state === "ready") return;
  if (project.import_state === "failed")
    throw new AppError("conflict", "The import of this project failed, so there is nothing to convert.", {
      cure: project.import_cure ?? "Import the file again.",
    });
  throw new AppError("conflict", "The project is still being imported.", {
    cure: "Wait until the import is ready.",
    retryable: true,
  });
}

/** The wanted documents in reading order; all that there are when none are named. */
export async function chooseDocuments(
  { database }: ServerContext,
  projectId: string,
  wanted: readonly string[] | undefined,
): Promise<readonly string[]> {
  const known = (await listDocuments(database.db, projectId)).map((document) => document.id);
  if (wanted === undefined) return known;
  const foreign = wanted.find((id) => !known.includes(id));
  if (foreign !== undefined)
    throw new AppError("invalid-argument", `The project has no document ${JSON.stringify(foreign)}.`, {
      cure: "Take the ids that the project's own list of documents shows.",
    });
  return known.filter((id) => wanted.includes(id));
}

import { exportedFileSchema, exportFormatSchema, type StartExport } from "@katari/contracts";
import { AppError, canonicalJson, fileNameOf } from "@katari/core";
import {
  appendEvents,
  findExport,
  findProject,
  forgetExport,
  insertExport,
  insertTask,
  listConversions,
  type ExportRow,
} from "@katari/database/statements";
import { chooseDocuments } from "../conversions/start-conversion.ts";
import type { ExportPayload, PinnedRendering } from "../dispatch/task-message.ts";
import type { Voices } from "../planner/voices.ts";
import type { ServerContext } from "../server-context.ts";
import { assemblyPlan } from "./assembly-plan.ts";

/** What published audiobooks keep to. */
const loudness = { targetLufs: -19, ceilingDbtp: -3 } as const;

/**
 * Starts an export: writes the plan from one snapshot, stores it under the hash of its content, and makes the task. The
 * same plan in the same format with the same loudness is the same file, so an export that is ready or under way is
 * returned as it is. Throws `incomplete`, `conflict`, `not-found`, `invalid-argument`.
 */
export async function startExport(
  context: ServerContext,
  voices: Voices,
  input: StartExport & { readonly ownerId: string; readonly projectId: string },
): Promise<ExportRow> {
  const { database, store, clock, newId, sha256 } = context;
  const { ownerId, projectId } = input;
  const format = exportFormatSchema.parse(input.format ?? "m4b");
  if ((await findProject(database.db, { projectId, ownerId })) === undefined)
    throw new AppError("not-found", "There is no such project.", { cure: "Check its id." });
  const documentIds = await chooseDocuments(context, projectId, input.documents);
  const narrator = await narratorOf(context, voices, projectId);
  const { plan, project } = await database.snapshot((trx) =>
    assemblyPlan(trx, { projectId, ownerId, documentIds, narrator }),
  );
  const text = canonicalJson(plan);
  const planKey = `plans/${sha256(text)}.json`;
  const fingerprint = sha256(canonicalJson({ planKey, format, loudness }));
  const known = await findExport(database.db, { projectId, fingerprint });
  if (known !== undefined) {
    const file = exportedFileSchema.safeParse(known.file).data;
    if (file === undefined || (await store.head(file.objectKey)) !== undefined) return known;
    await forgetExport(database.db, known.id);
  }

  await store.put(planKey, new TextEncoder().encode(text), { contentType: "application/json" });
  const id = newId();
  const nowMs = clock.now();
  const payload: ExportPayload = { planKey, format, loudness };
  const made = await database.transaction(async (trx) => {
    const inserted = await insertExport(trx, {
      id,
      projectId,
      format,
      settings: { documents: documentIds, loudness, projectRevision: project.revision },
      fingerprint,
      planKey,
      fileName: fileNameOf(project.title, format),
      nowMs,
    });
    if (!inserted) return false;
    await insertTask(trx, { id: newId(), kind: "export", projectId, exportId: id, payload: { ...payload }, nowMs });
    const events = [{ type: "export", exportId: id, state: "waiting" }] as const;
    await appendEvents(trx, { projectId, events, nowMs });
    return true;
  });
  const row = await findExport(database.db, made ? { exportId: id, ownerId } : { projectId, fingerprint });
  if (row === undefined) throw new AppError("not-found", "The project was deleted.", { cure: "Import it again." });
  return row;
}

/** Who is named as the narrator: the voice of the newest conversion. A voice that was removed keeps its id as name. */
async function narratorOf({ database }: ServerContext, voices: Voices, projectId: string) {
  const [newest] = await listConversions(database.db, projectId);
  const voiceId = (newest?.rendering as PinnedRendering | undefined)?.voiceId;
  if (voiceId === undefined) return { narrator: "", attribution: "" };
  try {
    const { manifest } = await voices.load(voiceId);
    return { narrator: manifest.title, attribution: manifest.licence.attribution };
  } catch (error) {
    const { code } = AppError.from(error);
    if (code !== "unknown-voice" && code !== "voice-damaged") throw error;
    return { narrator: voiceId, attribution: "" };
  }
}

import { AppError, defaultPauses, type ConversionState, type ProjectEvent } from "@katari/core";
import { isPassingDatabaseError, type Db } from "@katari/database";
import {
  advancePlanning,
  appendEvents,
  deleteTakes,
  deleteWantedTakes,
  insertSpeechTasks,
  insertWantedTakes,
  listConversionsToPlan,
  listSegmentsToPlan,
  lockConversions,
  lockDocuments,
  recountDocuments,
  refreshStatistics,
  upsertSpokenForms,
  type ConversionRow,
} from "@katari/database/statements";
import { soundMarginMs } from "../assembly/pauses.ts";
import { settledState } from "../collect/conversion-state.ts";
import { writeConversion } from "../collect/settle-conversions.ts";
import { progressOf } from "../collect/settle-tasks.ts";
import { storable } from "../collect/storable.ts";
import type { PinnedRendering } from "../dispatch/task-message.ts";
import type { ServerContext } from "../server-context.ts";
import { createWakeLoop, type WakeLoop } from "../wake-loop.ts";
import { listSilentTakes } from "./silent-takes.ts";
import { nextPage, pageRows, segmentsPerPage, segmentToSpeak, type PageRows } from "./page-rows.ts";
import type { TextPlanner } from "./text-planner.ts";
import { plannedVoice, publishVoice, voiceRefOf, type LoadedVoice, type Voices } from "./voices.ts";

export interface PlannerOptions {
  readonly voices: Voices;
  readonly textPlanner: TextPlanner;
  /** Tasks have come that can be dispatched. */
  readonly onPlanned: () => void;
}

/**
 * Plans conversions a page at a time, in turn, so that a short one does not wait for a long one. A page's text work is
 * done before its transaction; the transaction then checks under the conversion's lock that the cursor still stands
 * where the page began, writes everything and moves the cursor. So a page is written exactly once, whoever dies or
 * races, and tasks of the first pages are rendered while the rest is planned.
 */
export function createPlanner(context: ServerContext, options: PlannerOptions): WakeLoop {
  const { database, logger, timing } = context;
  return createWakeLoop({
    name: "planner",
    tickMs: timing.tickMs,
    logger,
    async round(signal) {
      for (;;) {
        const conversions = await listConversionsToPlan(database.db);
        if (conversions.length === 0) return;
        for (const conversion of conversions) {
          if (signal.aborted) return;
          await planOrFail(context, options, conversion, signal);
          options.onPlanned();
        }
      }
    },
  });
}

async function planOrFail(
  context: ServerContext,
  options: PlannerOptions,
  conversion: ConversionRow,
  signal: AbortSignal,
): Promise<void> {
  try {
    await planPage(context, options, conversion, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const fault = AppError.from(error);
    if (fault.retryable || isPassingDatabaseError(error)) throw error;
    context.logger.error({ conversionId: conversion.id, error: fault, cause: fault.cause }, "Planning failed.");
    await finish(context, conversion, "failed", fault);
  }
}

async function planPage(
  context: ServerContext,
  { voices, textPlanner }: PlannerOptions,
  conversion: ConversionRow,
  signal: AbortSignal,
): Promise<void> {
  const { database, store, sha256, newId } = context;
  const documentId = conversion.document_ids[conversion.planned_documents];
  if (documentId === undefined) {
    await refreshStatistics(database.db, "planning");
    return finish(context, conversion, "running");
  }
  const rendering = conversion.rendering as PinnedRendering;
  const voice = await pinnedVoice(context, voices, rendering);
  if (conversion.planned_documents === 0 && conversion.planned_segments === 0)
    await publishVoice(store, voice, rendering.voiceRef, signal);

  const from = conversion.planned_segments;
  const rows = await listSegmentsToPlan(database.db, { documentId, from, limit: segmentsPerPage + 1 });
  const segments = nextPage(rows);
  const plan =
    segments.length === 0
      ? { forms: [], utterances: [] }
      : await textPlanner.plan(
          { voice: plannedVoice(voice, rendering.voiceRef), segments: segments.map(segmentToSpeak) },
          signal,
        );
  const page = storable(
    pageRows({ segments, plan, rendering, firstOrdinal: conversion.planned_utterances, sha256, newId }),
  );
  await writePage(context, {
    conversion,
    documentId,
    segmentIds: segments.map((segment) => segment.id),
    page,
    silentTakes: await listSilentTakes(
      context,
      page.tasks.map((task) => task.take_key),
      signal,
    ),
    lastOfDocument: segments.length === rows.length,
  });
}

/** The voice as it was when the conversion was started. Throws `conflict` when it is another one by now. */
async function pinnedVoice(
  { sha256 }: ServerContext,
  voices: Voices,
  rendering: PinnedRendering,
): Promise<LoadedVoice> {
  const voice = await voices.load(rendering.voiceId);
  if (voiceRefOf(voice.manifest, sha256) !== rendering.voiceRef)
    throw new AppError("conflict", `The voice ${rendering.voiceId} was changed after the conversion was started.`, {
      cure: "Start a new conversion: it takes the voice as it is now.",
    });
  return voice;
}

interface PageToWrite {
  readonly conversion: ConversionRow;
  readonly documentId: string;
  readonly segmentIds: readonly string[];
  readonly page: PageRows;
  /** Registered takes whose audio is gone. */
  readonly silentTakes: readonly string[];
  readonly lastOfDocument: boolean;
}

async function writePage({ database, clock }: ServerContext, input: PageToWrite): Promise<void> {
  const { conversion, documentId, segmentIds, page, silentTakes, lastOfDocument } = input;
  const nowMs = clock.now();
  const { id: conversionId, project_id: projectId, lane } = conversion;
  await database.transaction(async (trx) => {
    const locked = await lockAtCursor(trx, conversion);
    if (locked === undefined) return;
    await deleteTakes(trx, silentTakes);
    // Two conversions of one document at once would meet in its rows in any order, so they wait here.
    await lockDocuments(trx, [documentId]);
    await upsertSpokenForms(trx, page.forms);
    await deleteWantedTakes(trx, segmentIds);
    await insertWantedTakes(trx, { conversionId, rows: page.wanted });
    const added = await insertSpeechTasks(trx, { projectId, conversionId, documentId, lane, nowMs, rows: page.tasks });
    await advancePlanning(trx, {
      conversionId,
      documents: conversion.planned_documents + Number(lastOfDocument),
      segments: lastOfDocument ? 0 : conversion.planned_segments + segmentIds.length,
      utterances: conversion.planned_utterances + page.tasks.length,
    });
    // Normally planning is ended by a round of its own; one that was resumed in the middle runs already.
    const state = settledState({
      state: locked.state,
      planned: lastOfDocument && conversion.planned_documents + 1 >= locked.document_ids.length,
      remaining: locked.remaining + added,
      failed: locked.failed,
      held: 1,
    });
    await writeConversion(trx, locked, { state, addRemaining: added, addTasks: added, nowMs });
    const documentIds = [documentId];
    const counts = await recountDocuments(trx, { documentIds, pauses: defaultPauses, marginMs: soundMarginMs });
    const ended: ProjectEvent[] = state === locked.state ? [] : [{ type: "conversion", conversionId, state }];
    await appendEvents(trx, {
      projectId,
      events: [...counts.map((row) => progressOf(row, conversionId).event), ...ended],
      nowMs,
      raiseRevision: true,
    });
  });
}

/** The locked conversion, if it is still to be planned from where `seen` stood. */
async function lockAtCursor(trx: Db, seen: ConversionRow): Promise<ConversionRow | undefined> {
  const [locked] = await lockConversions(trx, [seen.id]);
  if (locked === undefined || (locked.state !== "planning" && locked.state !== "running")) return undefined;
  const same =
    locked.planned_documents === seen.planned_documents &&
    locked.planned_segments === seen.planned_segments &&
    locked.planned_utterances === seen.planned_utterances;
  return same ? locked : undefined;
}

/** Ends the planning: the conversion runs, has succeeded at once when no take was missing, or failed. */
async function finish(
  { database, clock }: ServerContext,
  conversion: ConversionRow,
  to: "running" | "failed",
  fault?: AppError,
): Promise<void> {
  const nowMs = clock.now();
  await database.transaction(async (trx) => {
    const locked = await lockAtCursor(trx, conversion);
    if (locked === undefined) return;
    const facts = { planned: true, remaining: locked.remaining, failed: locked.failed, held: 1 };
    const state: ConversionState = to === "failed" ? "failed" : settledState({ state: "running", ...facts });
    const message =
      fault === undefined
        ? {}
        : { message: fault.cure === undefined ? fault.message : `${fault.message} ${fault.cure}` };
    await writeConversion(trx, locked, { state, nowMs, ...message });
    if (state === locked.state) return;
    await appendEvents(trx, {
      projectId: locked.project_id,
      events: [{ type: "conversion", conversionId: locked.id, state, ...message }],
      nowMs,
    });
  });
}

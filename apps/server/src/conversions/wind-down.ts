import {
  cancelPendingTasks,
  countHeldTasks,
  listConversionsInState,
  lockConversions,
  appendEvents,
} from "@katari/database/statements";
import { settledState } from "../collect/conversion-state.ts";
import { writeConversion } from "../collect/settle-conversions.ts";
import type { ServerContext } from "../server-context.ts";

const pageSize = 1_000;

/**
 * Takes one conversion that is being cancelled or paused as far as it goes now: pending tasks of a cancelled one are
 * cancelled a page at a time, then the state follows the counts. What workers hold is settled by their answers.
 */
export async function windDown(context: ServerContext, conversionId: string, signal?: AbortSignal): Promise<void> {
  const { database, clock } = context;
  for (;;) {
    signal?.throwIfAborted();
    const nowMs = clock.now();
    const full = await database.transaction(async (trx) => {
      const [conversion] = await lockConversions(trx, [conversionId]);
      if (conversion === undefined || (conversion.state !== "cancelling" && conversion.state !== "pausing"))
        return false;
      const cancelled =
        conversion.state === "cancelling" ? await cancelPendingTasks(trx, { conversionId, nowMs, limit: pageSize }) : 0;
      const state = settledState({
        state: conversion.state,
        planned: conversion.planned_documents >= conversion.document_ids.length,
        remaining: conversion.remaining - cancelled,
        failed: conversion.failed,
        held: await countHeldTasks(trx, conversionId),
      });
      if (cancelled > 0 || state !== conversion.state)
        await writeConversion(trx, conversion, { state, addRemaining: -cancelled, nowMs });
      if (state !== conversion.state)
        await appendEvents(trx, {
          projectId: conversion.project_id,
          events: [{ type: "conversion", conversionId, state }],
          nowMs,
        });
      return cancelled === pageSize;
    });
    if (!full) return;
  }
}

/** Does the same for every conversion on its way out: after a crash nobody else remembers them. */
export async function windDownAll(context: ServerContext, signal: AbortSignal): Promise<void> {
  for (const { id } of await listConversionsInState(context.database.db, ["cancelling", "pausing"])) {
    if (signal.aborted) return;
    await windDown(context, id, signal);
  }
}

import { AppError, canBecome, conversionTransitions, isEndedConversion, type ConversionState } from "@katari/core";
import type { Db } from "@katari/database";
import {
  appendEvents,
  findConversion,
  lockConversions,
  retryFailedTasks,
  type ConversionRow,
} from "@katari/database/statements";
import { settledState } from "../collect/conversion-state.ts";
import { writeConversion } from "../collect/settle-conversions.ts";
import type { ServerContext } from "../server-context.ts";
import { windDown } from "./wind-down.ts";

interface Command {
  readonly ownerId: string;
  readonly conversionId: string;
}

const planned = (conversion: ConversionRow): boolean => conversion.planned_documents >= conversion.document_ids.length;

/** Stops giving out tasks; workers hand back what they have not finished. Pausing twice does nothing more. */
export async function pauseConversion(context: ServerContext, command: Command): Promise<void> {
  const changed = await changeState(context, command, (conversion) =>
    conversion.state === "paused" || conversion.state === "pausing" ? conversion.state : "pausing",
  );
  if (!changed) return;
  await context.bus.broadcast("control", { v: 1, kind: "pause-conversion", conversionId: command.conversionId });
  await windDown(context, command.conversionId);
}

/** Goes on with a paused conversion, planning included. */
export async function resumeConversion(context: ServerContext, command: Command): Promise<void> {
  const changed = await changeState(context, command, (conversion) => {
    if (conversion.state === "running" || conversion.state === "planning") return conversion.state;
    if (conversion.state !== "paused" && conversion.state !== "pausing") return refuse(conversion.state, "resumed");
    // Out of `pausing` there is no way back to planning: it runs, and the planner takes up what runs unplanned.
    return conversion.state === "paused" && !planned(conversion) ? "planning" : "running";
  });
  // Workers skip what was paused for a while: told that it goes on, they do not hand the same tasks back again and again.
  if (changed)
    await context.bus.broadcast("control", { v: 1, kind: "resume-conversion", conversionId: command.conversionId });
}

/** Ends a conversion; takes that are finished stay. Cancelling one that has ended does nothing. */
export async function cancelConversion(context: ServerContext, command: Command): Promise<void> {
  const changed = await changeState(context, command, (conversion) =>
    isEndedConversion(conversion.state) ? conversion.state : "cancelling",
  );
  if (!changed) return;
  await context.bus.broadcast("control", { v: 1, kind: "cancel-conversion", conversionId: command.conversionId });
  await windDown(context, command.conversionId);
}

const retryPage = 1_000;

/** Failed tasks become pending again, a page at a time. */
export async function retryConversion(context: ServerContext, command: Command): Promise<void> {
  const { database, clock } = context;
  for (;;) {
    const nowMs = clock.now();
    const full = await database.transaction(async (trx) => {
      const conversion = await lockOwned(trx, command);
      if (conversion.state === "cancelling" || conversion.state === "cancelled" || conversion.state === "succeeded")
        return refuse(conversion.state, "retried");
      const retried = await retryFailedTasks(trx, { conversionId: conversion.id, limit: retryPage });
      const state: ConversionState = conversion.state === "failed" ? "running" : conversion.state;
      const unplanned = state === "running" && !planned(conversion);
      if (retried === 0 && state === conversion.state) return false;
      await writeConversion(trx, conversion, {
        state: settledState({
          state,
          planned: !unplanned,
          remaining: conversion.remaining + retried,
          failed: conversion.failed - retried,
          held: 1,
        }),
        addRemaining: retried,
        addFailed: -retried,
        nowMs,
        message: "",
      });
      if (state !== conversion.state)
        await appendEvents(trx, {
          projectId: conversion.project_id,
          events: [{ type: "conversion", conversionId: conversion.id, state }],
          nowMs,
        });
      return retried === retryPage;
    });
    if (!full) return;
  }
}

/** Moves a conversion to another state under its lock. Says whether it moved; throws `conflict` when the table says no. */
async function changeState(
  { database, clock }: ServerContext,
  command: Command,
  next: (conversion: ConversionRow) => ConversionState,
): Promise<boolean> {
  const nowMs = clock.now();
  return database.transaction(async (trx) => {
    const conversion = await lockOwned(trx, command);
    const wanted = next(conversion);
    if (wanted === conversion.state) return false;
    if (!canBecome(conversionTransitions, conversion.state, wanted)) return refuse(conversion.state, wanted);
    const state = settledState({
      state: wanted,
      planned: planned(conversion),
      remaining: conversion.remaining,
      failed: conversion.failed,
      // Whether anything is held is found out afterwards, with the workers' answers.
      held: 1,
    });
    await writeConversion(trx, conversion, { state, nowMs });
    await appendEvents(trx, {
      projectId: conversion.project_id,
      events: [{ type: "conversion", conversionId: conversion.id, state }],
      nowMs,
    });
    return true;
  });
}

async function lockOwned(trx: Db, command: Command): Promise<ConversionRow> {
  const owned = await findConversion(trx, command);
  const [conversion] = owned === undefined ? [] : await lockConversions(trx, [owned.id]);
  if (conversion === undefined)
    throw new AppError("not-found", "There is no such conversion.", { cure: "Check its id." });
  return conversion;
}

function refuse(state: ConversionState, wanted: string): never {
  throw new AppError("conflict", `The conversion is ${state}, so it cannot be ${wanted}.`, {
    cure: "Start a new conversion of the project instead.",
    details: { state },
  });
}

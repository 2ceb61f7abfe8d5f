import { isLiveTask, type ConversionState } from "@katari/core";
import type { Db } from "@katari/database";
import { countHeldTasks, updateConversion, type ConversionRow, type LockedTask } from "@katari/database/statements";
import { settledState } from "./conversion-state.ts";
import type { EventList } from "./event-list.ts";

/** A task before and after a batch. */
export interface ChangedTask {
  readonly before: LockedTask;
  readonly now: LockedTask;
}

/** Counts what really changed, and ends the conversions that have come to their end. Says which. */
export async function settleConversions(
  trx: Db,
  conversions: ReadonlyMap<string, ConversionRow>,
  changed: readonly ChangedTask[],
  nowMs: number,
  events: EventList,
): Promise<ReadonlySet<string>> {
  const ended = new Set<string>();
  for (const conversion of conversions.values()) {
    const own = changed.filter(({ now }) => now.conversion_id === conversion.id);
    if (own.length === 0) continue;
    const count = (is: (task: LockedTask) => boolean): number =>
      own.reduce((sum, { before, now }) => sum + Number(is(now)) - Number(is(before)), 0);
    const addRemaining = count((task) => isLiveTask(task.state));
    const addFailed = count((task) => task.state === "failed");
    const remaining = conversion.remaining + addRemaining;
    const state = settledState({
      state: conversion.state,
      planned: conversion.planned_documents >= conversion.document_ids.length,
      remaining,
      failed: conversion.failed + addFailed,
      held: conversion.state === "pausing" ? await countHeldTasks(trx, conversion.id) : 0,
    });
    await writeConversion(trx, conversion, { state, addRemaining, addFailed, nowMs });
    if (remaining === 0) ended.add(conversion.id);
    if (state !== conversion.state)
      events.add(conversion.project_id, { type: "conversion", conversionId: conversion.id, state });
  }
  return ended;
}

/** Writes a locked conversion's state and counts. An ended one keeps the time of its end. */
export async function writeConversion(
  trx: Db,
  conversion: ConversionRow,
  change: {
    readonly state: ConversionState;
    readonly addRemaining?: number;
    readonly addFailed?: number;
    readonly addTasks?: number;
    readonly nowMs: number;
    readonly message?: string;
  },
): Promise<void> {
  const ended = change.state === "succeeded" || change.state === "failed" || change.state === "cancelled";
  const endedAtMs = ended ? (conversion.ended_at ?? change.nowMs) : undefined;
  const { nowMs: _nowMs, message = conversion.message ?? undefined, ...counts } = change;
  await updateConversion(trx, {
    id: conversion.id,
    ...counts,
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
    ...(message === undefined ? {} : { message }),
  });
}

import type { Conversion } from "@katari/contracts";
import { markProjectDeleted, raisePriority, findSegment, listConversions } from "@katari/database/statements";
import { isEndedConversion } from "@katari/core";
import type { Application, Caller } from "./application.ts";
import {
  cancelConversion,
  pauseConversion,
  resumeConversion,
  retryConversion,
} from "./conversions/change-conversion.ts";
import { startConversion } from "./conversions/start-conversion.ts";
import { interactivePriority } from "./dispatch/lanes.ts";
import type { WorkerRegistry } from "./dispatch/worker-registry.ts";
import { startExport } from "./exports/start-export.ts";
import { createProject } from "./imports/create-project.ts";
import { missing, ownedConversion, ownedProject } from "./owned.ts";
import type { Voices } from "./planner/voices.ts";
import { conversionAnswer, exportAnswer } from "./queries/answers.ts";
import type { ServerContext } from "./server-context.ts";

export type Commands = Pick<
  Application,
  | "createProject"
  | "deleteProject"
  | "listenFrom"
  | "startConversion"
  | "pauseConversion"
  | "resumeConversion"
  | "cancelConversion"
  | "retryConversion"
  | "startExport"
>;

/** Takes that follow the place from which somebody listens. */
const listenAhead = 50;

/** What changes something. Each writes its own transaction, then wakes the parts that have work from it. */
export function createCommands(options: {
  readonly context: ServerContext;
  readonly voices: Voices;
  readonly workers: WorkerRegistry;
  readonly wakeDispatcher: () => void;
  readonly wakePlanner: () => void;
  readonly wakeSweeper: () => void;
}): Commands {
  const { context, voices, workers, wakeDispatcher, wakePlanner, wakeSweeper } = options;

  const change =
    (command: (context: ServerContext, input: { ownerId: string; conversionId: string }) => Promise<void>) =>
    async (caller: Caller, conversionId: string): Promise<Conversion> => {
      await command(context, { ownerId: caller.ownerId, conversionId });
      wakePlanner();
      wakeDispatcher();
      return conversionAnswer(await ownedConversion(context, caller, conversionId), workers);
    };

  return {
    async createProject(caller, input) {
      const created = await createProject(context, { ownerId: caller.ownerId, ...input });
      wakeDispatcher();
      return created;
    },
    async deleteProject(caller, projectId) {
      await ownedProject(context, caller, projectId);
      for (const conversion of await listConversions(context.database.db, projectId))
        if (!isEndedConversion(conversion.state))
          await cancelConversion(context, { ownerId: caller.ownerId, conversionId: conversion.id });
      await markProjectDeleted(context.database.db, { projectId, nowMs: context.clock.now() });
      wakeSweeper();
    },
    async listenFrom(caller, projectId, segmentId) {
      await ownedProject(context, caller, projectId);
      const { db } = context.database;
      if ((await findSegment(db, { projectId, segmentId })) === undefined) throw missing("segment");
      const raised = await raisePriority(db, { segmentId, limit: listenAhead, priority: interactivePriority });
      if (raised > 0) wakeDispatcher();
    },
    async startConversion(caller, projectId, input) {
      const row = await startConversion(context, voices, { ...input, ownerId: caller.ownerId, projectId });
      wakePlanner();
      return conversionAnswer(row, workers);
    },
    pauseConversion: change(pauseConversion),
    resumeConversion: change(resumeConversion),
    cancelConversion: change(cancelConversion),
    retryConversion: change(retryConversion),
    async startExport(caller, projectId, input) {
      const row = await startExport(context, voices, { ...input, ownerId: caller.ownerId, projectId });
      wakeDispatcher();
      return exportAnswer(row);
    },
  };
}

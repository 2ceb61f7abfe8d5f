import { AppError } from "@katari/core";
import {
  findConversion,
  findExport,
  findProject,
  type ConversionRow,
  type ExportRow,
  type ProjectRow,
} from "@katari/database/statements";
import type { Caller } from "./application.ts";
import type { ServerContext } from "./server-context.ts";

export const missing = (what: string): AppError =>
  new AppError("not-found", `There is no such ${what}.`, { cure: "Check its id." });

/** The caller's project. What is somebody else's does not exist: AppError `not-found`. */
export async function ownedProject(
  { database }: ServerContext,
  caller: Caller,
  projectId: string,
): Promise<ProjectRow> {
  const project = await findProject(database.db, { projectId, ownerId: caller.ownerId });
  if (project === undefined) throw missing("project");
  return project;
}

export async function ownedConversion(
  { database }: ServerContext,
  caller: Caller,
  conversionId: string,
): Promise<ConversionRow> {
  const conversion = await findConversion(database.db, { conversionId, ownerId: caller.ownerId });
  if (conversion === undefined) throw missing("conversion");
  return conversion;
}

export async function ownedExport({ database }: ServerContext, caller: Caller, exportId: string): Promise<ExportRow> {
  const found = await findExport(database.db, { exportId, ownerId: caller.ownerId });
  if (found === undefined) throw missing("export");
  return found;
}

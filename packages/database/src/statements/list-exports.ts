import { sql } from "kysely";
import type { Db } from "../handle.ts";
import type { ExportRow } from "./find-export.ts";

/** A project's exports, newest first. */
export async function listExports(db: Db, projectId: string): Promise<readonly ExportRow[]> {
  const result = await sql<ExportRow>`
    select * from exports where project_id = ${projectId} order by created_at desc, id`.execute(db);
  return result.rows;
}

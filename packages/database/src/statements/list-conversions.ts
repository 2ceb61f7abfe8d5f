import { sql } from "kysely";
import type { Db } from "../handle.ts";
import type { ConversionRow } from "./find-conversion.ts";

/** A project's conversions, newest first. */
export async function listConversions(db: Db, projectId: string): Promise<readonly ConversionRow[]> {
  const result = await sql<ConversionRow>`
    select * from conversions where project_id = ${projectId} order by created_at desc, id`.execute(db);
  return result.rows;
}

import { sql } from "kysely";
import type { Db } from "../handle.ts";
import type { ConversionRow } from "./find-conversion.ts";

/** Conversions with something left to plan, or whose planning has to be ended; oldest first, at most 100. No lock. */
export async function listConversionsToPlan(db: Db): Promise<readonly ConversionRow[]> {
  const result = await sql<ConversionRow>`
    select c.* from conversions c join projects p on p.id = c.project_id
    where (c.state = 'planning'
        or (c.state = 'running' and c.planned_documents < jsonb_array_length(c.document_ids)))
      and p.deleted_at is null
    order by c.created_at, c.id limit 100`.execute(db);
  return result.rows;
}

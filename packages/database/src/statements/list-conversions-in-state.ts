import type { ConversionState } from "@katari/core";
import { sql } from "kysely";
import type { Db } from "../handle.ts";
import type { ConversionRow } from "./find-conversion.ts";

/** Conversions in one of the states, oldest first, at most 100. What is read may change before it is locked. */
export async function listConversionsInState(
  db: Db,
  states: readonly ConversionState[],
): Promise<readonly ConversionRow[]> {
  const result = await sql<ConversionRow>`
    select c.* from conversions c
    where c.state in ('planning', 'running', 'pausing', 'cancelling')
      and c.state in (select jsonb_array_elements_text(${JSON.stringify(states)}::jsonb))
    order by c.created_at, c.id limit 100`.execute(db);
  return result.rows;
}

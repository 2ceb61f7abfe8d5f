import { sql } from "kysely";
import type { Db } from "../handle.ts";
import type { ConversionRow } from "./find-conversion.ts";
import { isOneOf } from "../is-one-of.ts";

/**
 * Locks conversions in the order of their ids. Everything that changes tasks of a conversion together with its counts
 * takes this lock first, then locks tasks: the one order in which nobody waits in a circle.
 */
export async function lockConversions(db: Db, ids: readonly string[]): Promise<readonly ConversionRow[]> {
  if (ids.length === 0) return [];
  const result = await sql<ConversionRow>`
    select * from conversions where id ${isOneOf(ids)}
    order by id for update`.execute(db);
  return result.rows;
}

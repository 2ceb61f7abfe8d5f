import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** The lane's own virtual time: where an owner starts who was away. Under the lane's lock. */
export async function readLaneClock(db: Db, lane: "cpu" | "gpu"): Promise<number> {
  const result = await sql<{ virtual_time: number }>`
    select virtual_time from owner_clocks where lane = ${lane} and owner_id = ''`.execute(db);
  return result.rows[0]?.virtual_time ?? 0;
}

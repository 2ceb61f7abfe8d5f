import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Tasks of a conversion that are queued or running. Under the conversion's lock. */
export async function countHeldTasks(db: Db, conversionId: string): Promise<number> {
  const result = await sql<{ n: number }>`
    select count(*) as n from tasks where conversion_id = ${conversionId} and state in ('queued', 'running')`.execute(
    db,
  );
  return result.rows[0]?.n ?? 0;
}

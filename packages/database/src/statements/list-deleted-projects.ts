import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Projects whose rows are still to go. */
export async function listDeletedProjects(db: Db): Promise<readonly string[]> {
  const result = await sql<{ id: string }>`
    select id from projects where deleted_at is not null order by id limit 100`.execute(db);
  return result.rows.map((row) => row.id);
}

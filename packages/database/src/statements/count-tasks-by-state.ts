import type { TaskState } from "@katari/core";
import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** All tasks, by state. */
export async function countTasksByState(db: Db): Promise<readonly { readonly state: TaskState; readonly n: number }[]> {
  const result = await sql<{ state: TaskState; n: number }>`
    select state, count(*) as n from tasks group by state`.execute(db);
  return result.rows;
}

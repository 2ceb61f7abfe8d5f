import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface LostTask {
  readonly id: string;
  readonly attempt: number;
  readonly why: "epoch" | "lease";
}

/**
 * Tasks that nobody holds any more: published under another epoch of the bus, or with a lease that has ended. Read
 * without a lock; whoever returns them checks the attempt again under the lock.
 */
export async function listLostTasks(
  db: Db,
  input: { readonly busEpoch: string; readonly nowMs: number; readonly limit: number },
): Promise<readonly LostTask[]> {
  const result = await sql<LostTask>`
    select id, attempt, case when bus_epoch is distinct from ${input.busEpoch} then 'epoch' else 'lease' end as why
    from tasks
    where state in ('queued', 'running')
      and (bus_epoch is distinct from ${input.busEpoch} or lease_until <= ${input.nowMs})
    order by id limit ${input.limit}`.execute(db);
  return result.rows;
}

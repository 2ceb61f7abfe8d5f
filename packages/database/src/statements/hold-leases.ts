import { sql } from "kysely";
import type { Db } from "../handle.ts";
import type { TaskLane } from "../tables.ts";

/** Leases of a lane without a worker do not run: they get their whole length again. Passes over rows that are locked. */
export async function holdLeases(
  db: Db,
  input: { readonly lane: TaskLane; readonly leaseUntilMs: number },
): Promise<void> {
  await sql`
    update tasks set lease_until = ${input.leaseUntilMs}
    where id in (
      select id from tasks
      where lane = ${input.lane} and state in ('queued', 'running') and lease_until < ${input.leaseUntilMs}
      order by id limit 1000 for update skip locked
    )`.execute(db);
}

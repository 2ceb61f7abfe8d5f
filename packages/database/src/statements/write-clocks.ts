import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Writes virtual times of a lane; the empty owner is the lane itself. Under the lane's lock. */
export async function writeClocks(
  db: Db,
  input: {
    readonly lane: "cpu" | "gpu";
    readonly clocks: readonly { readonly owner_id: string; readonly virtual_time: number }[];
  },
): Promise<void> {
  await sql`
    insert into owner_clocks (lane, owner_id, virtual_time)
    select ${input.lane}, owner_id, virtual_time from jsonb_to_recordset(${JSON.stringify(input.clocks)}::jsonb) as r(
      owner_id text, virtual_time double precision)
    on conflict (lane, owner_id) do update set virtual_time = excluded.virtual_time`.execute(db);
}

import { sql } from "kysely";
import type { ProjectEvent } from "@katari/core";
import type { Db } from "../handle.ts";

/** The channel on which a project's id is said after a commit that brought events. */
export const eventChannel = "katari_events";

/**
 * Writes events of one project with ids drawn by an update of the project's row. It has to be the last write of its
 * transaction: the row stays locked until the commit, so that ids rise in the order of commits (a sequence would let a
 * reader see 7 before 6 is there). With several projects, call it in the order of their ids. Says the ids as one
 * notification, delivered at the commit.
 */
export async function appendEvents(
  db: Db,
  input: {
    readonly projectId: string;
    readonly events: readonly ProjectEvent[];
    readonly nowMs: number;
    /** Whether what an export would contain has changed. */
    readonly raiseRevision?: boolean;
  },
): Promise<void> {
  const raise = input.raiseRevision === true ? 1 : 0;
  await sql`
    with drawn as (
      update projects set last_event_id = last_event_id + ${input.events.length}::bigint, revision = revision + ${raise}::bigint
      where id = ${input.projectId}
      returning id, last_event_id - ${input.events.length}::bigint as first
    ), written as (
      insert into events (project_id, id, at, event)
      select drawn.id, drawn.first + e.n, ${input.nowMs}, e.event
      from drawn cross join jsonb_array_elements(${JSON.stringify(input.events)}::jsonb) with ordinality as e(event, n)
      returning 1
    )
    select pg_notify(${eventChannel}, ${input.projectId}) from (select count(*) as n from written) w where w.n > 0`.execute(
    db,
  );
}

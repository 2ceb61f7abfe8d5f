import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface NewSpokenForm {
  readonly segment_id: string;
  readonly revision: string;
  readonly form: unknown;
  readonly voiced: boolean;
}

/** Writes what is said for segments, over what was there. At most 1,000 at a time. Locks rows by segment id. */
export async function upsertSpokenForms(db: Db, rows: readonly NewSpokenForm[]): Promise<void> {
  await sql`
    insert into spoken_forms (segment_id, revision, form, voiced)
    select segment_id, revision, form, voiced from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(
      segment_id text, revision text, form jsonb, voiced boolean)
    order by segment_id
    on conflict (segment_id) do update
      set revision = excluded.revision, form = excluded.form, voiced = excluded.voiced`.execute(db);
}

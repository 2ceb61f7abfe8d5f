import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface NewWantedTake {
  readonly segment_id: string;
  readonly ordinal: number;
  readonly take_key: string;
  readonly take_part: number;
}

/** Writes what segments want to be heard as. At most 1,000 at a time; the old ones were deleted before. */
export async function insertWantedTakes(
  db: Db,
  input: { readonly conversionId: string; readonly rows: readonly NewWantedTake[] },
): Promise<void> {
  await sql`
    insert into wanted_takes (segment_id, ordinal, take_key, take_part, conversion_id)
    select segment_id, ordinal, take_key, take_part, ${input.conversionId}
    from jsonb_to_recordset(${JSON.stringify(input.rows)}::jsonb) as r(
      segment_id text, ordinal integer, take_key text, take_part integer)`.execute(db);
}

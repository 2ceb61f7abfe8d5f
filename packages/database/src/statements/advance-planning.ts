import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Moves a locked conversion's planning cursor, in the transaction that writes the page before it. */
export async function advancePlanning(
  db: Db,
  input: {
    readonly conversionId: string;
    readonly documents: number;
    readonly segments: number;
    readonly utterances: number;
  },
): Promise<void> {
  await sql`
    update conversions set planned_documents = ${input.documents}, planned_segments = ${input.segments},
      planned_utterances = ${input.utterances}
    where id = ${input.conversionId}`.execute(db);
}

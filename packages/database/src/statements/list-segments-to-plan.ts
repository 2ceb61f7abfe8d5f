import type { Boundary } from "@katari/core";
import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface SegmentToPlan {
  readonly id: string;
  readonly ordinal: number;
  readonly range_start: number;
  readonly range_end: number;
  readonly text: string;
  readonly boundary: Boundary;
  readonly block_id: string;
  readonly block_kind: string;
  readonly block_text: string;
  readonly block_language: string;
  readonly block_spans: readonly {
    readonly kind: string;
    readonly start: number;
    readonly end: number;
    readonly value?: string;
  }[];
}

/** Segments of a document from a place on, in order, each with its block. No lock. */
export async function listSegmentsToPlan(
  db: Db,
  input: { readonly documentId: string; readonly from: number; readonly limit: number },
): Promise<readonly SegmentToPlan[]> {
  const result = await sql<SegmentToPlan>`
    select s.id, s.ordinal, s.range_start, s.range_end, s.text, s.boundary, s.block_id, b.kind as block_kind,
      b.text as block_text, b.language as block_language, b.spans as block_spans
    from segments s join blocks b on b.id = s.block_id
    where s.document_id = ${input.documentId} and s.ordinal >= ${input.from}
    order by s.ordinal limit ${input.limit}`.execute(db);
  return result.rows;
}

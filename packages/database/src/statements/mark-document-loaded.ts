import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Says that all of a document's blocks are there. Locks the document's row. */
export async function markDocumentLoaded(db: Db, documentId: string): Promise<void> {
  await sql`update documents set loaded = true where id = ${documentId}`.execute(db);
}

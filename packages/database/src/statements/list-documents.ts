import { sql, type Selectable } from "kysely";
import type { Db } from "../handle.ts";
import type { DocumentsTable } from "../tables.ts";

export type DocumentRow = Selectable<DocumentsTable>;

/** Chapters of a project in reading order. No lock. */
export async function listDocuments(db: Db, projectId: string): Promise<readonly DocumentRow[]> {
  const result = await sql<DocumentRow>`
    select * from documents where project_id = ${projectId} order by ordinal`.execute(db);
  return result.rows;
}

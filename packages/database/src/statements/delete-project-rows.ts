import { sql, type RawBuilder } from "kysely";
import type { Db } from "../handle.ts";

/** Tables with many rows of one project, in an order in which nothing refers to what has gone; the project is last. */
export const projectTables = [
  "events",
  "tasks",
  "wanted_takes",
  "spoken_forms",
  "segments",
  "blocks",
  "skipped_texts",
  "projects",
] as const;
export type ProjectTable = (typeof projectTables)[number];

/**
 * Deletes at most `limit` rows that a deleted project has in one table, and says how many went. Rows that are few
 * (documents, conversions, exports, files) go with the project by the foreign keys.
 */
export async function deleteProjectRows(
  db: Db,
  input: { readonly projectId: string; readonly table: ProjectTable; readonly limit: number },
): Promise<number> {
  const table = sql.table(input.table);
  const chosen = chooseRows[input.table](input.projectId);
  const result = await sql<{ n: number }>`
    with gone as (
      delete from ${table} where ctid = any (array(select t.ctid from ${chosen} limit ${input.limit})) returning 1
    ) select count(*) as n from gone`.execute(db);
  return result.rows[0]?.n ?? 0;
}

const ownRows =
  (table: string) =>
  (projectId: string): RawBuilder<unknown> =>
    sql`${sql.table(table)} t where t.project_id = ${projectId}`;
const rowsOfSegments =
  (table: string) =>
  (projectId: string): RawBuilder<unknown> =>
    sql`${sql.table(table)} t join segments s on s.id = t.segment_id where s.project_id = ${projectId}`;

const chooseRows: Readonly<Record<ProjectTable, (projectId: string) => RawBuilder<unknown>>> = {
  events: ownRows("events"),
  tasks: ownRows("tasks"),
  wanted_takes: rowsOfSegments("wanted_takes"),
  spoken_forms: rowsOfSegments("spoken_forms"),
  segments: ownRows("segments"),
  blocks: (projectId) => sql`blocks t join documents d on d.id = t.document_id where d.project_id = ${projectId}`,
  skipped_texts: ownRows("skipped_texts"),
  projects: (projectId) => sql`projects t where t.id = ${projectId}`,
};

import { sql } from "kysely";
import type { Db } from "../handle.ts";

export interface NewProject {
  readonly id: string;
  readonly ownerId: string;
  readonly sourceId: string;
  readonly title: string;
  readonly digest: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly objectKey: string;
  readonly nowMs: number;
}

/** Writes a source and the project that is made from it. */
export async function insertProject(db: Db, project: NewProject): Promise<void> {
  await sql`
    with source as (
      insert into sources (id, digest, file_name, size_bytes, object_key, created_at)
      values (${project.sourceId}, ${project.digest}, ${project.fileName}, ${project.sizeBytes}, ${project.objectKey},
              ${project.nowMs})
      returning id
    )
    insert into projects (id, owner_id, source_id, title, created_at)
    select ${project.id}, ${project.ownerId}, source.id, ${project.title}, ${project.nowMs} from source`.execute(db);
}

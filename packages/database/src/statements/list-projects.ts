import { sql } from "kysely";
import type { Db } from "../handle.ts";
import type { ProjectRow } from "./find-project.ts";

export type ProjectWithCounts = ProjectRow & {
  readonly segments: number;
  readonly voiced_segments: number;
  readonly ready_segments: number;
  readonly characters: number;
  readonly audio_ms: number;
};

/** An owner's projects (one of them, when it is named), newest first, with the counts of their documents. No lock. */
export async function listProjects(
  db: Db,
  input: { readonly ownerId: string; readonly projectId?: string },
): Promise<readonly ProjectWithCounts[]> {
  const result = await sql<ProjectWithCounts>`
    select p.*, s.file_name, s.digest as source_digest, d.*
    from projects p
    join sources s on s.id = p.source_id
    cross join lateral (
      select coalesce(sum(segments), 0)::bigint as segments,
             coalesce(sum(voiced_segments), 0)::bigint as voiced_segments,
             coalesce(sum(ready_segments), 0)::bigint as ready_segments,
             coalesce(sum(characters), 0)::bigint as characters,
             coalesce(sum(audio_ms), 0)::bigint as audio_ms
      from documents where project_id = p.id
    ) d
    where p.owner_id = ${input.ownerId} and p.deleted_at is null
      and (${input.projectId ?? null}::text is null or p.id = ${input.projectId ?? null})
    order by p.created_at desc, p.id`.execute(db);
  return result.rows;
}

import { deleteProjectRows, listDeletedProjects, projectTables } from "@katari/database/statements";
import type { ServerContext } from "../server-context.ts";

const pageSize = 1_000;

/**
 * Lets the rows of deleted projects go, a batch at a time. Takes, sources and other objects stay: others may use them,
 * and the sweep of the store looks after objects that no row names.
 */
export async function deleteProjects({ database }: ServerContext, signal: AbortSignal): Promise<void> {
  for (const projectId of await listDeletedProjects(database.db))
    for (const table of projectTables)
      for (;;) {
        if (signal.aborted) return;
        const gone = await deleteProjectRows(database.db, { projectId, table, limit: pageSize });
        if (gone < pageSize) break;
      }
}

import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** Tables that an import, or a conversion's planning, fills. */
const filledBy = {
  import: ["segments", "blocks", "skipped_texts"],
  planning: ["spoken_forms", "wanted_takes", "tasks", "takes"],
} as const;

/**
 * Tells the database how large and how varied its tables have become. The embedded one has nobody who does that by
 * itself, and without it plans joins as for empty tables: the time of a count then grows with the square of the book.
 */
export async function refreshStatistics(db: Db, after: keyof typeof filledBy): Promise<void> {
  for (const table of filledBy[after]) await sql`analyze ${sql.table(table)}`.execute(db);
}

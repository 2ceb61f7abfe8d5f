import { sql } from "kysely";
import type { Db } from "../handle.ts";

/** A finished export whose file is gone counts as failed from now on, so that the same one can be made again. */
export async function forgetExport(db: Db, exportId: string): Promise<void> {
  await sql`
    update exports set state = 'failed', code = 'not-found', message = 'The finished file is gone.',
      cure = 'Export again.'
    where id = ${exportId} and state = 'ready'`.execute(db);
}

export { openPglite, type PgliteOptions } from "./pglite.ts";
export { connectPostgres, type PostgresOptions } from "./postgres.ts";
export type { DatabaseHandle, Db, Unlisten } from "./handle.ts";
export { isPassingDatabaseError } from "./availability.ts";
export { taskLanes, type Tables, type TaskKind, type TaskLane } from "./tables.ts";

import { workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";

/** The thread of `createCluster`: its data is the folder to make. */
const pglite = await PGlite.create({ dataDir: workerData as string });
await pglite.close();

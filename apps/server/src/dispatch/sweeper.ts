import { taskLanes } from "@katari/database";
import { holdLeases, listLostTasks } from "@katari/database/statements";
import type { TaskReport } from "../collect/task-report.ts";
import type { ServerContext } from "../server-context.ts";
import { createWakeLoop, type WakeLoop } from "../wake-loop.ts";
import type { WorkerRegistry } from "./worker-registry.ts";

const pageSize = 200;

/**
 * Brings back tasks that nobody holds: published under another epoch of the bus, or with a lease that has ended. Leases
 * do not run while their lane has no worker: nobody can be late where nobody works.
 */
export function createSweeper(
  context: ServerContext,
  options: {
    readonly workers: WorkerRegistry;
    readonly report: (reports: readonly TaskReport[]) => Promise<void>;
    /** Other slow work of the same rhythm, done after the sweep. */
    readonly afterwards?: (signal: AbortSignal) => Promise<void>;
  },
): WakeLoop {
  const { database, bus, clock, logger, timing } = context;
  return createWakeLoop({
    name: "sweeper",
    tickMs: timing.tickMs,
    logger,
    async round(signal) {
      const nowMs = clock.now();
      for (const lane of taskLanes)
        if (options.workers.slots(lane) === 0)
          await holdLeases(database.db, { lane, leaseUntilMs: nowMs + timing.leaseMs });
      for (;;) {
        if (signal.aborted) return;
        const lost = await listLostTasks(database.db, { busEpoch: bus.epoch, nowMs, limit: pageSize });
        if (lost.length > 0)
          await options.report(
            lost.map(({ id, attempt, why }) => ({ taskId: id, attempt, outcome: { kind: "lost", why } })),
          );
        if (lost.length < pageSize) break;
      }
      await options.afterwards?.(signal);
    },
  });
}

import { connectPostgres, type DatabaseHandle } from "@katari/database";
import { appendEvents, insertProject, listEvents } from "@katari/database/statements";
import { startTestPostgres, whyNoPostgres, type TestPostgres } from "@katari/database/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReader } from "../testing/event-reader.ts";
import { until } from "../testing/hand-worker.ts";
import { quiet } from "../testing/workshop.ts";
import { createNotifier } from "./notifier.ts";

const missing = whyNoPostgres();
const counted = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index + 1);

describe.skipIf(missing !== undefined)(
  `notifiers on one PostgreSQL${missing === undefined ? "" : ` (${missing})`}`,
  () => {
    let postgres: TestPostgres;
    let first: DatabaseHandle;
    let second: DatabaseHandle;
    beforeAll(async () => {
      postgres = await startTestPostgres();
      const url = postgres.url();
      [first, second] = await Promise.all([connectPostgres({ url }), connectPostgres({ url })]);
    });
    afterAll(async () => {
      await first.close();
      await second.close();
      await postgres.close();
    });

    it("shows events of many writers to both readers without a gap at any time", async () => {
      const projects = ["a", "b", "c"];
      const base = { ownerId: "ann", title: "T", digest: "d", fileName: "f", sizeBytes: 1, objectKey: "o", nowMs: 0 };
      for (const id of projects) await insertProject(first.db, { ...base, id, sourceId: id });
      const notifiers = [first, second].map((database) => createNotifier({ database, logger: quiet }));
      for (const notifier of notifiers) await notifier.start();
      const readers = projects.flatMap((projectId) =>
        notifiers.map((notifier, index) => {
          const { db } = index === 0 ? first : second;
          const reader = createReader((after) => listEvents(db, { projectId, after, limit: 1_000 }));
          notifier.onEvents(projectId, () => reader.wake());
          return { projectId, reader };
        }),
      );
      const rounds = 40;
      const write = async (database: DatabaseHandle, writer: number) => {
        for (let round = 0; round < rounds; round++)
          await database.transaction(async (trx) => {
            // Two of the three projects, in the order of their ids, with one and two events.
            const skipped = (writer + round) % projects.length;
            for (const [index, projectId] of projects.filter((_, at) => at !== skipped).entries())
              await appendEvents(trx, {
                projectId,
                events: Array.from({ length: index + 1 }, () => ({ type: "import", state: "running" }) as const),
                nowMs: round,
              });
          });
      };
      await Promise.all([first, second, first, second, first, second].map(write));
      // Six writers of 40 transactions with three events each.
      const written = await Promise.all(
        projects.map(async (projectId) =>
          (await listEvents(first.db, { projectId, after: 0, limit: 10_000 })).map(({ id }) => id),
        ),
      );
      expect(written.flat()).toHaveLength(6 * rounds * 3);
      for (const { projectId, reader } of readers) {
        const ids = written[projects.indexOf(projectId)] ?? [];
        expect(ids).toEqual(counted(ids.length));
        await until(() => reader.ids.length >= ids.length);
        // A reader that saw 7 before 6 was there would have gone past 6.
        expect(reader.ids).toEqual(ids);
      }
      for (const notifier of notifiers) await notifier.stop();
    });
  },
);

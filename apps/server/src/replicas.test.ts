import { connectPostgres, type DatabaseHandle } from "@katari/database";
import { insertProject, insertTask, listEvents } from "@katari/database/statements";
import { clearDatabase, startTestPostgres, whyNoPostgres, type TestPostgres } from "@katari/database/testing";
import type { MessageBus } from "@katari/queue";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { settleTasks } from "./collect/settle-tasks.ts";
import type { TaskReport } from "./collect/task-report.ts";
import type { RunningApplication } from "./create-application.ts";
import { createReader } from "./testing/event-reader.ts";
import { isSpeech, spoken, until } from "./testing/hand-worker.ts";
import { ann, bob, openWorkshop, type Workshop } from "./testing/workshop.ts";

/** Sentences that are long enough to be utterances of their own, all different. */
const chapter = (title: string, count: number, from = 0) => ({
  title,
  paragraphs: Array.from({ length: count }, (_, n) => [
    `Number ${from + n} walked along the river for a long while before it came to the old stone bridge by the mill.`,
  ]),
});

const counted = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index + 1);

/** The same order for the same seed (mulberry32), so that a failure can be looked at again. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(
  `two servers on one PostgreSQL${missing === undefined ? "" : ` (${missing})`}`,
  () => {
    let postgres: TestPostgres;
    let first: DatabaseHandle;
    let second: DatabaseHandle;
    beforeAll(async () => {
      postgres = await startTestPostgres();
      const url = postgres.url();
      [first, second] = await Promise.all([
        connectPostgres({ url, applicationName: "first" }),
        connectPostgres({ url, applicationName: "second" }),
      ]);
    });
    afterAll(async () => {
      await first.close();
      await second.close();
      await postgres.close();
    });
    afterEach(() => clearDatabase(first));

    const eventsOf = async (projectId: string) =>
      (await listEvents(first.db, { projectId, after: 0, limit: 100_000 })).map(({ id, event }) => ({ id, event }));

    describe("with an application each", () => {
      let workshop: Workshop;
      let other: RunningApplication;
      beforeEach(async () => {
        workshop = await openWorkshop(first);
        other = workshop.server({ database: second });
        await other.start();
        await workshop.worker.announce();
      });
      afterEach(async () => {
        await other.stop();
        await workshop.close();
      });

      const tasksOf = (conversionId: string) =>
        first.db.selectFrom("tasks").selectAll().where("conversion_id", "=", conversionId).orderBy("ordinal").execute();

      /** A reader on each server. */
      const readBoth = (projectId: string) =>
        [workshop.application, other].map((server) => {
          const reader = createReader((after) => server.eventsAfter(ann, projectId, after, 1_000));
          server.onEvents(projectId, () => reader.wake());
          reader.wake();
          return reader;
        });

      it("plans, publishes and settles everything once, and both tell every event in its order", async () => {
        const annsBook = await workshop.importBook([chapter("One", 150), chapter("Two", 60, 150)]);
        const bobsBook = await workshop.importBook([chapter("One", 90, 1_000)], bob);
        const readers = readBoth(annsBook);
        const [anns, bobs] = await Promise.all([
          workshop.application.startConversion(ann, annsBook, { voice: "hand" }),
          other.startConversion(bob, bobsBook, { voice: "hand" }),
        ]);
        const published: string[] = [];
        await until(async () => {
          for (const held of workshop.worker.held.filter(isSpeech)) {
            published.push(`${held.task.taskId}/${held.task.attempt}`);
            // A broker may deliver a result twice; the bus gives results to both collectors in turn.
            await held.send({ kind: "started" });
            await held.send(spoken(held.task));
            await held.answer(spoken(held.task));
          }
          const states = [
            await other.getConversion(ann, anns.id),
            await workshop.application.getConversion(bob, bobs.id),
          ];
          return states.every(({ state }) => state === "succeeded");
        });
        expect(published).toHaveLength(300);
        expect(new Set(published).size).toBe(300);
        for (const [conversion, owner, count] of [
          [anns, ann, 210],
          [bobs, bob, 90],
        ] as const) {
          const { remaining, failed, tasks } = await other.getConversion(owner, conversion.id);
          expect({ remaining, failed, tasks }).toEqual({ remaining: 0, failed: 0, tasks: count });
          const rows = await tasksOf(conversion.id);
          expect(rows.map((task) => [task.ordinal, task.attempt, task.state])).toEqual(
            Array.from({ length: count }, (_, ordinal) => [ordinal, 1, "succeeded"]),
          );
        }

        const events = await eventsOf(annsBook);
        expect(events.map(({ id }) => id)).toEqual(counted(events.length));
        const states = events.flatMap(({ event }) => (event.type === "conversion" ? [event.state] : []));
        expect(states).toEqual(["planning", "running", "succeeded"]);
        for (const reader of readers) {
          await until(() => reader.ids.length >= events.length);
          expect(reader.ids).toEqual(counted(events.length));
        }
      });

      it("fills a lane's window together, not one window each", async () => {
        await workshop.worker.announce(0);
        const projectId = await workshop.importBook([chapter("One", 300)]);
        await workshop.application.startConversion(ann, projectId, { voice: "hand" });
        // A lane without workers has a window of one batch of 16.
        await until(async () => (await first.db.selectFrom("tasks").select("id").execute()).length === 301);
        expect(await workshop.worker.waitFor(16)).toHaveLength(16);
        // Each time both hear of it at the same moment: so many slots on each of two queues, four tasks a slot.
        for (const slots of [4, 8, 12, 16, 20, 24, 28, 32]) {
          await workshop.worker.announce(slots);
          await workshop.worker.waitFor(slots * 8);
          const queued = await first.db.selectFrom("tasks").select("id").where("state", "=", "queued").execute();
          expect(queued).toHaveLength(slots * 8);
        }
        for (const held of workshop.worker.held.filter(isSpeech)) await held.answer({ kind: "cancelled" });
      });

      it("cancels on one server what the other one gives out, with nothing left over", async () => {
        const projectId = await workshop.importBook([chapter("One", 120)]);
        const { id } = await workshop.application.startConversion(ann, projectId, { voice: "hand" });
        await workshop.worker.waitFor(8);
        const cancelling = other.cancelConversion(ann, id);
        await until(async () => {
          for (const held of workshop.worker.held.filter(isSpeech)) await held.answer({ kind: "cancelled" });
          return (await workshop.application.getConversion(ann, id)).state === "cancelled";
        });
        await cancelling;
        const { remaining, failed } = await other.getConversion(ann, id);
        expect({ remaining, failed }).toEqual({ remaining: 0, failed: 0 });
        expect((await tasksOf(id)).every((task) => task.state === "cancelled")).toBe(true);
        expect(workshop.worker.held).toEqual([]);
      });

      it("leaves nothing behind when one is stopped in the middle, and the other one goes on", async () => {
        const projectId = await workshop.importBook([chapter("One", 200)]);
        const [reader] = readBoth(projectId);
        const { id } = await other.startConversion(ann, projectId, { voice: "hand" });
        const third = await connectPostgres({ url: postgres.url(), applicationName: "third" });
        const stopped = workshop.server({ database: third });
        await stopped.start();
        let answered = 0;
        let stopping: Promise<void> | undefined;
        await until(async () => {
          for (const held of workshop.worker.held.filter(isSpeech)) {
            await held.answer(spoken(held.task));
            if (++answered === 40) stopping = stopped.stop().then(() => third.close());
          }
          return (await other.getConversion(ann, id)).state === "succeeded";
        });
        await stopping;
        expect(answered).toBe(200);
        const left = await postgres.run(`
        select application_name from pg_stat_activity where application_name = 'third'
        union all select state from pg_stat_activity where state like 'idle in transaction%'
        union all select locktype from pg_locks where locktype = 'advisory'`);
        expect(left).toEqual([]);
        const events = await eventsOf(projectId);
        await until(() => reader?.ids.length === events.length);
        expect(reader?.ids).toEqual(counted(events.length));
      });

      it("has the others give out again what a server had claimed when it died", async () => {
        const projectId = await workshop.importBook([chapter("One", 60)]);
        await other.stop();
        await workshop.application.stop();
        const third = await connectPostgres({ url: postgres.url(), applicationName: "third" });
        let end: (error: Error) => void = () => undefined;
        const silence = new Promise<void>((_, reject) => (end = reject));
        // It dies between the claim's commit and the first message.
        const claiming: MessageBus = {
          ...workshop.bus,
          epoch: workshop.bus.epoch,
          publish: (queue, body, options) =>
            queue.startsWith("speech.") ? silence : workshop.bus.publish(queue, body, options),
        };
        const dying = workshop.server({ database: third, bus: claiming });
        await dying.start();
        const { id } = await dying.startConversion(ann, projectId, { voice: "hand" });
        await until(async () => (await tasksOf(id)).filter((task) => task.state === "queued").length === 16);
        // Without its connections it can write nothing more.
        await third.close();
        end(new Error("the process is gone"));
        await dying.stop();
        const claimed = (await tasksOf(id)).filter((task) => task.state === "queued");
        expect(claimed).toHaveLength(16);

        const survivor = workshop.server({ database: second });
        await survivor.start();
        await workshop.worker.announce();
        await until(async () => (await survivor.getConversion(ann, id)).state === "running");
        // A lease runs while there are workers.
        workshop.clock.advance(600_001);
        await workshop.worker.announce();
        await until(async () => {
          for (const held of workshop.worker.held.filter(isSpeech)) await held.answer(spoken(held.task));
          return (await survivor.getConversion(ann, id)).state === "succeeded";
        });
        const attempts = new Map((await tasksOf(id)).map((task) => [task.id, task.attempt]));
        expect([...attempts.values()].every((attempt) => attempt <= 2)).toBe(true);
        expect(claimed.map((task) => attempts.get(task.id))).toEqual(claimed.map(() => 2));
        await survivor.stop();
      });

      it.each(["fast", "killed"] as const)(
        "loses nothing when PostgreSQL is stopped (%s) and started again in the middle",
        async (how) => {
          const projectId = await workshop.importBook([chapter("One", 120)]);
          const readers = readBoth(projectId);
          const { id } = await workshop.application.startConversion(ann, projectId, { voice: "hand" });
          let answered = 0;
          const answerAll = async () => {
            for (const held of workshop.worker.held.filter(isSpeech)) {
              await held.answer(spoken(held.task));
              answered++;
              if (answered === 30) return;
            }
          };
          await until(async () => {
            await answerAll();
            return answered >= 30;
          });
          const away = postgres.stop(how);
          // Results go on coming while it is away.
          for (const held of workshop.worker.held.filter(isSpeech)) await held.answer(spoken(held.task));
          await away;
          await expect(workshop.application.getConversion(ann, id)).rejects.toMatchObject({
            code: "unavailable",
            retryable: true,
          });
          await postgres.start();
          await until(async () => {
            for (const held of workshop.worker.held.filter(isSpeech)) await held.answer(spoken(held.task));
            const conversion = await other.getConversion(ann, id).catch(() => undefined);
            return conversion?.state === "succeeded";
          });
          expect(await other.getConversion(ann, id)).toMatchObject({ remaining: 0, failed: 0, tasks: 120 });
          const events = await eventsOf(projectId);
          expect(events.map((event) => event.id)).toEqual(counted(events.length));
          expect(events.filter(({ event }) => event.type === "conversion" && event.state === "succeeded")).toHaveLength(
            1,
          );
          for (const reader of readers) {
            await until(() => reader.ids.length >= events.length);
            expect(reader.ids).toEqual(counted(events.length));
          }
        },
      );

      it.each(counted(4))(
        "ends two conversions of the same text once each, whoever brings the last result (seed %i)",
        async (seed) => {
          const projectId = await workshop.importBook([chapter("One", 12), chapter("Two", 12, 100)]);
          const conversions = [
            await workshop.application.startConversion(ann, projectId, { voice: "hand" }),
            await workshop.application.startConversion(ann, projectId, { voice: "hand" }),
          ];
          await until(async () => {
            await workshop.worker.announce(48);
            return workshop.worker.held.length === 48;
          });
          const reports = workshop.worker.held.filter(isSpeech).flatMap(({ task }): TaskReport[] => {
            const of = { taskId: task.taskId, attempt: task.attempt };
            const done: TaskReport = { ...of, outcome: spoken(task) };
            return [{ ...of, outcome: { kind: "started" } }, done, done];
          });
          const batches: TaskReport[][] = [];
          for (const [index, each] of shuffled(reports, seed).entries())
            (batches[Math.floor(index / 7)] ??= []).push(each);
          const options = { nowMs: 10, leaseMs: 1_000, maxRetryMs: 1_000, mayTell: () => true, owedTo: () => [] };
          // Four transactions at once on each server.
          const left = batches.values();
          const settleNext = async (database: DatabaseHandle) => {
            for (const batch of left) await database.transaction((trx) => settleTasks(trx, batch, options));
          };
          await Promise.all([first, second, first, second, first, second, first, second].map(settleNext));

          for (const { id } of conversions)
            expect(await other.getConversion(ann, id)).toMatchObject({
              state: "succeeded",
              remaining: 0,
              failed: 0,
              tasks: 24,
            });
          const events = await eventsOf(projectId);
          expect(events.map((event) => event.id)).toEqual(counted(events.length));
          const ended = events.flatMap(({ event }) =>
            event.type === "conversion" && event.state === "succeeded" ? [event.conversionId] : [],
          );
          expect(ended.sort()).toEqual(conversions.map(({ id }) => id).sort());
        },
      );
    });

    it("moves a project's import on once when both hear of it at the same time", async () => {
      const base = { ownerId: "ann", title: "T", digest: "d", fileName: "f", sizeBytes: 1, objectKey: "o", nowMs: 0 };
      const projects = counted(20).map((n) => `p${n}`);
      for (const id of projects) {
        await insertProject(first.db, { ...base, id, sourceId: id });
        await insertTask(first.db, { id: `${id}-t`, kind: "import", projectId: id, payload: {}, nowMs: 0 });
      }
      await first.db.updateTable("tasks").set({ state: "running", attempt: 1 }).execute();
      const options = { nowMs: 10, leaseMs: 1_000, maxRetryMs: 1_000, mayTell: () => true, owedTo: () => [] };
      const settle = (database: DatabaseHandle, reports: readonly TaskReport[]) =>
        database.transaction((trx) => settleTasks(trx, reports, options));
      const reports = projects.map((id): TaskReport => ({
        taskId: `${id}-t`,
        attempt: 1,
        outcome: { kind: "succeeded", result: { kind: "import", indexKey: "i" } },
      }));
      // In opposite orders, so that each would wait for what the other has if rows were locked as they come.
      await Promise.all([settle(first, reports), settle(second, reports.toReversed()), settle(first, reports)]);
      for (const projectId of projects)
        expect(await eventsOf(projectId)).toEqual([{ id: 1, event: { type: "import", state: "running" } }]);
    });
  },
);

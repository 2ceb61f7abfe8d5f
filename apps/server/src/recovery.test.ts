import { AppError } from "@katari/core";
import type { DatabaseHandle } from "@katari/database";
import { clearDatabase, openTestDatabase, testDatabases } from "@katari/database/testing";
import { createMemoryBus, type MessageBus } from "@katari/queue";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TextPlanner } from "./planner/text-planner.ts";
import { createHandWorker, isSpeech, spoken, until, type HandWorker } from "./testing/hand-worker.ts";
import { ann, openWorkshop, textPlannerHere, type Workshop } from "./testing/workshop.ts";

/** Sentences that are long enough to be utterances of their own, all different. */
const sentence = (n: number): string =>
  `Number ${n} walked along the river for a long while before it came to the old stone bridge by the mill.`;
const chapter = (title: string, count: number, from = 0) => ({
  title,
  paragraphs: Array.from({ length: count }, (_, n) => [sentence(from + n)]),
});

for (const { kind, title, missing } of testDatabases)
  describe.skipIf(missing)(`a conversion that meets trouble, in ${title}`, () => {
    let database: DatabaseHandle;
    let workshop: Workshop;
    beforeAll(async () => {
      database = await openTestDatabase(kind);
    });
    afterAll(() => database.close());
    beforeEach(async () => {
      workshop = await openWorkshop(database);
      await workshop.worker.announce();
    });
    afterEach(async () => {
      await workshop.close();
      await clearDatabase(database);
    });

    const tasks = () =>
      database.db.selectFrom("tasks").selectAll().where("kind", "=", "speech").orderBy("ordinal").execute();
    const finishAll = async (worker: HandWorker, conversionId: string) => {
      await until(async () => {
        for (const held of worker.held.filter(isSpeech)) await held.answer(spoken(held.task));
        return (await workshop.application.getConversion(ann, conversionId)).state === "succeeded";
      });
    };

    it("publishes again what the bus did not confirm, without using up the task's attempts", async () => {
      const projectId = await workshop.importBook([chapter("One", 1)]);
      await workshop.application.stop();
      let refusals = 2;
      const flaky: MessageBus = {
        ...workshop.bus,
        epoch: workshop.bus.epoch,
        publish(queue, body, options) {
          if (queue.startsWith("speech.") && refusals-- > 0)
            return Promise.reject(new AppError("unavailable", "not confirmed", { retryable: true }));
          return workshop.bus.publish(queue, body, options);
        },
      };
      const server = workshop.server({ bus: flaky });
      await server.start();
      const { id } = await server.startConversion(ann, projectId, { voice: "hand" });
      const [held] = (await workshop.worker.waitFor(1)).filter(isSpeech);
      expect(held?.task.attempt).toBe(3);
      expect(await tasks()).toMatchObject([{ attempt: 3, max_attempts: 7 }]);
      if (held) await held.answer(spoken(held.task));
      await until(async () => (await server.getConversion(ann, id)).state === "succeeded");
      await server.stop();
    });

    it("gives out again what it claimed in a commit that was never answered", async () => {
      const projectId = await workshop.importBook([chapter("One", 3)]);
      await workshop.application.stop();
      let cuts = 0;
      const cut: DatabaseHandle = {
        ...database,
        async transaction(work) {
          const result = await database.transaction(work);
          const claimed = (await tasks()).some((task) => task.state === "queued");
          // The server has committed, and the connection breaks before it says so.
          if (claimed && cuts++ === 0) throw new Error("Connection terminated unexpectedly");
          return result;
        },
      };
      const server = workshop.server({ database: cut });
      await server.start();
      const { id } = await server.startConversion(ann, projectId, { voice: "hand" });
      const held = (await workshop.worker.waitFor(3)).filter(isSpeech);
      expect(held.map(({ task }) => task.attempt)).toEqual([2, 2, 2]);
      for (const each of held) await each.answer(spoken(each.task));
      await until(async () => (await server.getConversion(ann, id)).state === "succeeded");
      await server.stop();
    });

    it("brings back everything that an older bus held", async () => {
      const projectId = await workshop.importBook([chapter("One", 3)]);
      const { id } = await workshop.application.startConversion(ann, projectId, { voice: "hand" });
      await workshop.worker.waitFor(3);
      await workshop.application.stop();

      const bus = createMemoryBus();
      const worker = await createHandWorker(bus);
      const server = workshop.server({ bus });
      await server.start();
      const again = (await worker.waitFor(3)).filter(isSpeech);
      expect(again.map((held) => held.task.attempt)).toEqual([2, 2, 2]);
      for (const held of again) await held.answer(spoken(held.task));
      await until(async () => (await server.getConversion(ann, id)).state === "succeeded");
      await server.stop();
      await worker.close();
    });

    it("gives a task with an ended lease out again, but not while nobody works", async () => {
      const projectId = await workshop.importBook([chapter("One", 1)]);
      const { id } = await workshop.application.startConversion(ann, projectId, { voice: "hand" });
      await workshop.worker.waitFor(1);

      // The worker is not heard for an hour: six leases long, yet the task stays with it.
      workshop.clock.advance(3_600_000);
      await until(async () => Number((await tasks())[0]?.lease_until) > workshop.clock.now());
      expect(await tasks()).toMatchObject([{ state: "queued", attempt: 1 }]);

      await workshop.worker.announce();
      // Longer than the lease; another announcement keeps the worker alive, which has lost the task all the same.
      workshop.clock.advance(600_001);
      await workshop.worker.announce();
      const held = (await workshop.worker.waitFor(2)).filter(isSpeech);
      expect(held.map((each) => each.task.attempt)).toEqual([1, 2]);

      // The first attempt's late success counts all the same, and ends the second.
      if (held[0]) await held[0].answer(spoken(held[0].task));
      await workshop.conversionIs(id, "succeeded");
    });

    it("runs a task alone that killed its worker, then gives it up, and finishes the others", async () => {
      const projectId = await workshop.importBook([chapter("One", 4)]);
      const { application, worker } = workshop;
      const { id } = await application.startConversion(ann, projectId, { voice: "hand" });
      const all = (await worker.waitFor(4)).filter(isSpeech);
      const poison = all[0]?.task.taskId ?? "";
      const of = (taskId: string) => worker.held.find((held) => held.task.taskId === taskId);

      const dieUntilGone = async (attempt: number) => {
        await until(async () => {
          const held = of(poison);
          if (held?.task.attempt === attempt) held.die();
          const [row] = (await tasks()).filter((task) => task.id === poison);
          return row?.state !== "queued" || row.attempt !== attempt;
        });
      };
      await dieUntilGone(1);
      expect((await tasks()).find((task) => task.id === poison)).toMatchObject({ alone: true, crashes: 1 });
      // It waits for the three others, which still lie with a worker.
      expect((await tasks()).find((task) => task.id === poison)?.state).toBe("pending");
      for (const held of worker.held.filter(isSpeech)) await held.answer(spoken(held.task));
      await until(() => of(poison)?.task.attempt === 2);
      await dieUntilGone(2);
      await workshop.conversionIs(id, "failed");
      expect(await application.getConversion(ann, id)).toMatchObject({ remaining: 0, failed: 1, tasks: 4 });

      const refusal = application.startExport(ann, projectId, {});
      await expect(refusal).rejects.toMatchObject({ code: "incomplete", details: { missing: 1 } });
      await expect(refusal).rejects.toThrow(/Number/);
      const { voiced, failed, waiting, skipped, characters } = await application.getCompleteness(ann, projectId);
      expect(failed).toHaveLength(1);
      expect(waiting).toBe(0);
      const sum = (list: readonly { readonly characters: number }[]) =>
        list.reduce((n, each) => n + each.characters, 0);
      expect(voiced + waiting + sum(skipped) + sum(failed)).toBe(characters);

      // Someone repairs the cause and tries again: it runs alone, and all is well.
      await application.retryConversion(ann, id);
      await finishAll(worker, id);
      expect(await application.getConversion(ann, id)).toMatchObject({ state: "succeeded", failed: 0, remaining: 0 });
    });

    it("goes on planning where a killed planner stood, and plans nothing twice", async () => {
      const projectId = await workshop.importBook([chapter("One", 250), chapter("Two", 30, 300)]);
      await workshop.application.stop();
      const real = textPlannerHere();
      let pages = 0;
      const dying: TextPlanner = {
        close: () => real.close(),
        plan(request, signal) {
          // The third page never comes back, as if the process had ended in the middle of it.
          if (++pages === 3)
            return new Promise((_, reject) =>
              signal?.addEventListener("abort", () => reject(AppError.from(signal.reason))),
            );
          return real.plan(request, signal);
        },
      };
      const first = workshop.server({ planner: dying });
      await first.start();
      const { id } = await first.startConversion(ann, projectId, { voice: "hand" });
      await until(() => pages === 3);
      const planned = await tasks();
      expect(planned).toHaveLength(200);
      await first.stop();

      const second = workshop.server();
      await second.start();
      await until(async () => (await second.getConversion(ann, id)).state === "running");
      const all = await tasks();
      expect(all.map((task) => task.ordinal)).toEqual(Array.from({ length: 280 }, (_, n) => n));
      expect(all.slice(0, 200).map((task) => task.id)).toEqual(planned.map((task) => task.id));
      expect((await second.getConversion(ann, id)).remaining).toBe(280);
      await second.stop();
    });

    it("claims no task twice with two servers on one database", async () => {
      const projectId = await workshop.importBook([chapter("One", 120)]);
      const other = workshop.server();
      await other.start();
      const { id } = await workshop.application.startConversion(ann, projectId, { voice: "hand" });
      const seen: string[] = [];
      await until(async () => {
        for (const held of workshop.worker.held.filter(isSpeech)) {
          seen.push(`${held.task.taskId}/${held.task.attempt}`);
          await held.answer(spoken(held.task));
        }
        return (await other.getConversion(ann, id)).state === "succeeded";
      });
      expect(seen).toHaveLength(120);
      expect(new Set(seen).size).toBe(120);
      expect((await tasks()).every((task) => task.attempt === 1 && task.state === "succeeded")).toBe(true);
      await other.stop();
    });
  });

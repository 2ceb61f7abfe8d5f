import { resultQueue } from "@katari/contracts";
import { manualClock } from "@katari/core";
import type { DatabaseHandle } from "@katari/database";
import { insertProject, insertTask } from "@katari/database/statements";
import { clearDatabase, openTestDatabase } from "@katari/database/testing";
import { createMemoryBus, type MessageBus } from "@katari/queue";
import { createFileStore } from "@katari/storage";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defaultTiming, randomId, sha256Hex, type ServerContext } from "../server-context.ts";
import { until } from "../testing/hand-worker.ts";
import { quiet } from "../testing/workshop.ts";
import { createCollector, type Collector } from "./collector.ts";

const away = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

describe("the collector", () => {
  let database: DatabaseHandle;
  let folder: string;
  let bus: MessageBus;
  let collector: Collector;
  /** What the next transactions throw instead of running. */
  let fault: ((attempt: number) => Error | undefined) | undefined;
  let attempts: number;

  beforeAll(async () => {
    database = await openTestDatabase();
    folder = await mkdtemp(join(tmpdir(), "katari-collector-"));
  });
  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    fault = undefined;
    attempts = 0;
    bus = createMemoryBus({ deliveryLimit: 1 });
    const context: ServerContext = {
      database: {
        ...database,
        transaction(work) {
          const error = fault?.(++attempts);
          return error === undefined ? database.transaction(work) : Promise.reject(error);
        },
      },
      bus,
      store: await createFileStore({ root: folder }),
      clock: manualClock(1_000),
      logger: quiet,
      newId: randomId,
      sha256: sha256Hex,
      timing: { ...defaultTiming, batchMs: 1 },
    };
    collector = createCollector(context, { onSettled: () => undefined });
    await collector.start();
    const base = { ownerId: "ann", title: "T", digest: "d", fileName: "f", sizeBytes: 1, objectKey: "o", nowMs: 0 };
    await insertProject(database.db, { ...base, id: "p", sourceId: "s" });
    for (const id of ["t0", "t1", "t2"])
      await insertTask(database.db, { id, kind: "import", projectId: "p", payload: {}, nowMs: 0 });
    await database.db.updateTable("tasks").set({ state: "queued", attempt: 1, lease_until: 5_000 }).execute();
  });
  afterEach(async () => {
    fault = undefined;
    await collector.stop();
    await bus.close();
    await clearDatabase(database);
  });

  const send = (taskId: string, message = "broken") =>
    bus.publish(resultQueue, {
      v: 1,
      taskId,
      attempt: 1,
      workerId: "w",
      atMs: 0,
      outcome: { kind: "failed", code: "damaged-source", message },
    });
  const states = async () =>
    (await database.db.selectFrom("tasks").select("state").orderBy("id").execute()).map((row) => row.state);

  it("holds results while the database is away, gives none back, and writes them when it is there again", async () => {
    fault = () => away;
    for (const id of ["t0", "t1", "t2"]) await send(id);
    await until(() => attempts >= 3);
    expect(await bus.depth(resultQueue)).toBe(0);
    expect(await bus.depth(`${resultQueue}.dead`)).toBe(0);
    expect(await states()).toEqual(["queued", "queued", "queued"]);
    fault = undefined;
    await until(async () => (await states()).every((state) => state === "failed"));
  });

  it("hands results back when it is stopped while the database is away", async () => {
    fault = () => away;
    await send("t0");
    await until(() => attempts >= 1);
    await collector.stop();
    expect(await bus.depth(resultQueue)).toBe(1);
  });

  it("writes the others of a batch that the database refuses for one of them", async () => {
    // A message that PostgreSQL does not take: the statement fails by itself, whenever it is tried.
    const refused = new Error("invalid input");
    const seen: number[] = [];
    fault = (attempt) => {
      seen.push(attempt);
      return attempt <= 2 ? refused : undefined;
    };
    for (const id of ["t0", "t1", "t2"]) await send(id);
    await until(async () => (await states()).every((state) => state === "failed"));
    // The whole batch twice, then its two halves.
    expect(seen.slice(0, 4)).toEqual([1, 2, 3, 4]);
  });

  it("is not stopped by what is no result", async () => {
    await bus.publish(resultQueue, { v: 99, hello: true });
    await send("t1");
    await until(async () => (await states())[1] === "failed");
    expect(await bus.depth(resultQueue)).toBe(0);
  });

  it("takes a dead letter for a crash", async () => {
    const message = {
      v: 1,
      kind: "import",
      taskId: "t0",
      attempt: 1,
      projectId: "p",
      timeoutMs: 1,
      sourceKey: "sources/x",
      sourceDigest: "x",
      fileName: "x.epub",
      importRevision: 1,
    };
    await bus.publish("import.dead", message);
    await until(async () => (await states())[0] === "pending");
    const row = await database.db.selectFrom("tasks").selectAll().where("id", "=", "t0").executeTakeFirst();
    expect(row).toMatchObject({ crashes: 1, alone: true });
  });
});

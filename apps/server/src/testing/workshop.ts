import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { VoiceManifest } from "@katari/contracts";
import { manualClock, type ConversionState } from "@katari/core";
import type { DatabaseHandle } from "@katari/database";
import { createMemoryBus, type MessageBus } from "@katari/queue";
import { createFileStore, type ObjectStore } from "@katari/storage";
import { createApplication, type RunningApplication } from "../create-application.ts";
import { createSpeakerShelf, planText } from "../planner/plan-text.ts";
import type { TextPlanner } from "../planner/text-planner.ts";
import type { Logger, ServerTiming } from "../server-context.ts";
import { putImport, type Chapter } from "./book.ts";
import { createHandWorker, isImport, until, type HandWorker } from "./hand-worker.ts";
import { handVoice } from "./voice.ts";

export const ann = { ownerId: "ann" };
export const bob = { ownerId: "bob" };

/** A studio in one process for tests: real database, bus, store and text stage; the test is the worker. */
export interface Workshop {
  readonly database: DatabaseHandle;
  readonly bus: MessageBus;
  readonly store: ObjectStore;
  readonly clock: ReturnType<typeof manualClock>;
  readonly manifest: VoiceManifest;
  readonly application: RunningApplication;
  readonly worker: HandWorker;
  /** Another server on the same database (by its own connections, where they are given) and bus; the caller starts and stops it. */
  server(options?: {
    readonly bus?: MessageBus;
    readonly planner?: TextPlanner;
    readonly database?: DatabaseHandle;
  }): RunningApplication;
  /** A project with these chapters, imported and loaded. */
  importBook(chapters: readonly Chapter[], owner?: { readonly ownerId: string }): Promise<string>;
  conversionIs(conversionId: string, state: ConversionState, owner?: { readonly ownerId: string }): Promise<void>;
  close(): Promise<void>;
}

export const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The real text stage, in this thread. */
export function textPlannerHere(): TextPlanner {
  const shelf = createSpeakerShelf();
  return { plan: (request) => planText(shelf, request), close: async () => undefined };
}

const startMs = 1_000_000;

export async function openWorkshop(
  database: DatabaseHandle,
  options: { readonly timing?: Partial<ServerTiming>; readonly deliveryLimit?: number; readonly logger?: Logger } = {},
): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), "katari-server-"));
  const store = await createFileStore({ root: folder });
  const { voices, manifest } = await handVoice(join(folder, "voice"));
  const bus = createMemoryBus({ deliveryLimit: options.deliveryLimit ?? 2 });
  const clock = manualClock(startMs);
  const server: Workshop["server"] = (own = {}) =>
    createApplication({
      database: own.database ?? database,
      bus: own.bus ?? bus,
      store,
      voices,
      planner: own.planner ?? textPlannerHere(),
      clock,
      logger: options.logger ?? quiet,
      version: "0.0.0-test",
      timing: { tickMs: 300, batchMs: 2, progressMs: 0, ...options.timing },
    });
  const application = server();
  await application.start();
  const worker = await createHandWorker(bus, { store });

  const workshop: Workshop = {
    database,
    bus,
    store,
    clock,
    manifest,
    application,
    worker,
    server,
    async importBook(chapters, owner = ann) {
      const { projectId } = await application.createProject(owner, {
        fileName: "small.epub",
        body: bytes("a small book"),
        maxBytes: 1_000,
      });
      await until(() => worker.held.some((held) => isImport(held) && held.task.projectId === projectId));
      const held = worker.held.find((each) => isImport(each) && each.task.projectId === projectId);
      if (held === undefined) throw new Error("no import task");
      const indexKey = await putImport(store, { projectId, taskId: held.task.taskId, chapters });
      await held.answer({ kind: "succeeded", result: { kind: "import", indexKey } });
      await until(async () => (await application.getProject(owner, projectId)).importState === "ready");
      return projectId;
    },
    conversionIs: (conversionId, state, owner = ann) =>
      until(async () => (await application.getConversion(owner, conversionId)).state === state),
    async close() {
      await application.stop();
      await worker.close();
      await bus.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return workshop;
}

export async function* bytes(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text);
}

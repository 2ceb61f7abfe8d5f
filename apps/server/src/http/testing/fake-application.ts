import { createHash } from "node:crypto";
import type { Conversion, Export, ProjectDetail, Segment } from "@katari/contracts";
import { AppError, type ConversionState, type ProjectEvent, type StoredEvent } from "@katari/core";
import type { ObjectStore } from "@katari/storage";
import type { Application, Caller, SegmentAudio } from "../../application.ts";

/** A project of the fake: what the port shows of it, and what lies behind. Tests write to it directly. */
interface FakeProject {
  readonly ownerId: string;
  readonly detail: { -readonly [K in keyof ProjectDetail]: ProjectDetail[K] };
  readonly segments: Map<string, Segment[]>;
  readonly audio: Map<string, SegmentAudio>;
  readonly events: StoredEvent[];
  readonly listeners: Set<() => void>;
  readonly files: Map<
    string,
    { objectKey: string; fileName: string; sizeBytes: number; mediaType: string; sha256: string }
  >;
  cover?: { objectKey: string; mediaType: string };
  readonly listened: string[];
}

export interface FakeApplication extends Application {
  readonly projects: Map<string, FakeProject>;
  /** Stores an event as the database would and tells the listeners. */
  emit(projectId: string, event: ProjectEvent): void;
  addProject(ownerId: string, fileName: string): FakeProject;
}

const missing = (what: string): AppError =>
  new AppError("not-found", `There is no such ${what}.`, { cure: "Choose one of the list." });

/** The application port in memory, for tests of the door and for looking at the studio. */
export function createFakeApplication(store: ObjectStore): FakeApplication {
  const projects = new Map<string, FakeProject>();
  const keys = new Map<string, Conversion>();
  const project = (caller: Caller, id: string): FakeProject => {
    const found = projects.get(id);
    if (!found || found.ownerId !== caller.ownerId) throw missing("project");
    return found;
  };
  const conversionIn = (caller: Caller, id: string): { of: FakeProject; conversion: Conversion; index: number } => {
    for (const of of projects.values()) {
      const index = of.detail.conversions.findIndex((one) => one.id === id);
      const conversion = of.detail.conversions[index];
      if (conversion && of.ownerId === caller.ownerId) return { of, conversion, index };
    }
    throw missing("conversion");
  };
  const exportIn = (caller: Caller, id: string): { of: FakeProject; found: Export } => {
    for (const of of projects.values()) {
      const found = of.detail.exports.find((one) => one.id === id);
      if (found && of.ownerId === caller.ownerId) return { of, found };
    }
    throw missing("export");
  };
  const move = async (caller: Caller, id: string, from: readonly ConversionState[], to: ConversionState) => {
    const { of, conversion, index } = conversionIn(caller, id);
    if (!from.includes(conversion.state))
      throw new AppError("conflict", `The narration is ${conversion.state}.`, { cure: "Look at it again." });
    const moved = { ...conversion, state: to };
    of.detail.conversions[index] = moved;
    fake.emit(of.detail.id, { type: "conversion", conversionId: id, state: to });
    return moved;
  };

  const fake: FakeApplication = {
    projects,
    addProject(ownerId, fileName) {
      const id = `project-${projects.size + 1}`;
      const added: FakeProject = {
        ownerId,
        detail: {
          id,
          title: fileName.replace(/\.[^.]+$/, ""),
          authors: [],
          language: "en",
          fileName,
          sourceDigest: createHash("sha256").update(fileName).digest("hex"),
          createdAtMs: Date.UTC(2026, 0, projects.size + 1),
          importState: "waiting",
          hasCover: false,
          segments: 0,
          voicedSegments: 0,
          readySegments: 0,
          documents: [],
          skipped: [],
          conversions: [],
          exports: [],
          lastEventId: 0,
        },
        segments: new Map(),
        audio: new Map(),
        events: [],
        listeners: new Set(),
        files: new Map(),
        listened: [],
      };
      projects.set(id, added);
      return added;
    },
    emit(projectId, event) {
      const to = projects.get(projectId);
      if (!to) return;
      const id = to.detail.lastEventId + 1;
      to.events.push({ projectId, id, atMs: id, event });
      to.detail.lastEventId = id;
      for (const listener of to.listeners) listener();
    },

    async createProject(caller, { fileName, body, maxBytes, signal }) {
      const hash = createHash("sha256");
      let size = 0;
      for await (const part of body) {
        signal?.throwIfAborted();
        size += part.length;
        if (size > maxBytes) throw new AppError("too-large", "The file is too large.", { cure: "Send a smaller one." });
        hash.update(part);
      }
      if (size === 0) throw new AppError("empty-source", "The file is empty.", { cure: "Choose another file." });
      const added = fake.addProject(caller.ownerId, fileName);
      added.detail.skipped = [{ title: hash.digest("hex"), rule: "sha256", characters: size }];
      return { projectId: added.detail.id };
    },
    listProjects: async (caller) =>
      [...projects.values()].filter((one) => one.ownerId === caller.ownerId).map((one) => one.detail),
    getProject: async (caller, id) => project(caller, id).detail,
    async deleteProject(caller, id) {
      const gone = project(caller, id);
      projects.delete(id);
      for (const listener of gone.listeners) listener();
    },
    async getCover(caller, id) {
      const { cover } = project(caller, id);
      if (!cover) throw missing("cover");
      return cover;
    },
    async getCompleteness(caller, id, documents) {
      const { detail, segments } = project(caller, id);
      const chosen = detail.documents.filter((one) => documents?.includes(one.id) ?? true);
      const failed = chosen.flatMap((one) => segments.get(one.id) ?? []).filter((one) => one.state === "failed");
      const characters = chosen.reduce((sum, one) => sum + one.characters, 0);
      return {
        characters,
        voiced: characters,
        waiting: 0,
        skipped: detail.skipped,
        failed: failed.map((one) => ({
          segmentId: one.id,
          text: one.text,
          reason: one.message ?? "",
          characters: one.text.length,
        })),
        files: [],
      };
    },
    async listSegments(caller, { projectId, documentId, after, limit }) {
      const all = project(caller, projectId).segments.get(documentId);
      if (!all) throw missing("chapter");
      const from = after === undefined ? 0 : all.findIndex((one) => one.id === after) + 1;
      const segments = all.slice(from, from + limit);
      const last = segments.at(-1);
      return { segments, ...(last && from + limit < all.length ? { next: last.id } : {}) };
    },
    async getSegmentAudio(caller, id, segmentId) {
      const audio = project(caller, id).audio.get(segmentId);
      if (!audio) throw missing("sound");
      return audio;
    },
    async listenFrom(caller, id, segmentId) {
      project(caller, id).listened.push(segmentId);
    },
    async startConversion(caller, id, input) {
      const { detail } = project(caller, id);
      const known = input.idempotencyKey === undefined ? undefined : keys.get(input.idempotencyKey);
      if (known) return known;
      if (input.voice !== undefined && !(await fake.listVoices()).some((voice) => voice.id === input.voice))
        throw new AppError("unknown-voice", `There is no voice ${input.voice}.`, { cure: "See `katari voices list`." });
      const conversion: Conversion = {
        id: `conversion-${projects.size}-${detail.conversions.length + 1}`,
        state: "planning",
        voice: input.voice ?? "af_heart",
        speed: input.speed ?? 1,
        documents: input.documents ?? [],
        createdAtMs: Date.UTC(2026, 1, 1),
        tasks: 0,
        remaining: 0,
        failed: 0,
      };
      detail.conversions.unshift(conversion);
      if (input.idempotencyKey !== undefined) keys.set(input.idempotencyKey, conversion);
      fake.emit(id, { type: "conversion", conversionId: conversion.id, state: conversion.state });
      return conversion;
    },
    getConversion: async (caller, id) => conversionIn(caller, id).conversion,
    pauseConversion: (caller, id) => move(caller, id, ["planning", "running"], "paused"),
    resumeConversion: (caller, id) => move(caller, id, ["paused", "pausing"], "running"),
    cancelConversion: (caller, id) => move(caller, id, ["planning", "running", "pausing", "paused"], "cancelled"),
    retryConversion: (caller, id) => move(caller, id, ["failed"], "running"),
    async startExport(caller, id, input) {
      const { detail } = project(caller, id);
      if (detail.readySegments < detail.voicedSegments)
        throw new AppError(
          "incomplete",
          `${detail.voicedSegments - detail.readySegments} sentences have no sound yet.`,
          {
            cure: "Wait for the narration, or choose chapters that are ready.",
          },
        );
      const started: Export = {
        id: `export-${projects.size}-${detail.exports.length + 1}`,
        format: input.format ?? "m4b",
        state: "waiting",
        createdAtMs: Date.UTC(2026, 1, 1),
        progress: 0,
      };
      detail.exports.unshift(started);
      fake.emit(id, { type: "export", exportId: started.id, state: "waiting" });
      return started;
    },
    getExport: async (caller, id) => exportIn(caller, id).found,
    async getExportFile(caller, id) {
      const file = exportIn(caller, id).of.files.get(id);
      if (!file || !(await store.head(file.objectKey))) throw missing("file");
      return file;
    },
    listVoices: async () => [
      { id: "af_heart", title: "Heart", languages: ["en-US"], installed: true, licence: "Apache-2.0" },
      { id: "bf_emma", title: "Emma", languages: ["en-GB"], installed: true, licence: "Apache-2.0" },
      { id: "jf_alpha", title: "Alpha", languages: ["ja"], installed: false, licence: "Apache-2.0" },
    ],
    getSystem: async () => ({
      version: "0.1.0",
      adapters: { database: "memory" },
      workers: [{ workerId: "worker-1", ready: true, slots: { "speech.cpu.bulk": 2 } }],
      tasks: { pending: 0, queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 },
    }),
    eventsAfter: async (caller, id, after, limit) =>
      project(caller, id)
        .events.filter((one) => one.id > after)
        .slice(0, limit),
    onEvents(id, listener) {
      const listeners = projects.get(id)?.listeners;
      listeners?.add(listener);
      return () => listeners?.delete(listener);
    },
  };
  return fake;
}

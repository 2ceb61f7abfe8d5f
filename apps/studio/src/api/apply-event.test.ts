import type { ProjectDetail, StreamedEvent } from "@katari/contracts";
import { describe, expect, it } from "vitest";
import { applyEvent } from "./apply-event.ts";

const chapter = (id: string, index: number, voicedSegments: number) => ({
  id,
  index,
  title: id,
  characters: 100,
  segments: voicedSegments,
  voicedSegments,
  readySegments: 0,
  audioMs: 0,
});

const project: ProjectDetail = {
  id: "p",
  title: "A Book",
  authors: [],
  language: "en",
  fileName: "a.epub",
  sourceDigest: "0",
  createdAtMs: 0,
  importState: "ready",
  hasCover: false,
  segments: 30,
  voicedSegments: 30,
  readySegments: 0,
  documents: [chapter("d1", 1, 10), chapter("d2", 2, 20)],
  skipped: [],
  conversions: [
    {
      id: "c",
      state: "running",
      voice: "af_heart",
      speed: 1,
      documents: [],
      createdAtMs: 0,
      tasks: 30,
      remaining: 30,
      failed: 0,
    },
  ],
  exports: [{ id: "e", format: "m4b", state: "waiting", createdAtMs: 0, progress: 0 }],
  lastEventId: 7,
};
const apply = (id: number, event: StreamedEvent["event"], to = project) => applyEvent(to, { id, atMs: 0, event });
const progress = (documentId: string, readySegments: number, totalSegments: number) =>
  ({
    type: "progress",
    conversionId: "c",
    documentId,
    readySegments,
    totalSegments,
    audioMs: readySegments * 1_000,
  }) as const;

describe("events", () => {
  it("move a chapter's progress and the book's sums", () => {
    const first = apply(8, progress("d2", 5, 20));
    const { project: after, refetch } = apply(9, progress("d1", 10, 10), first.project);
    expect(refetch).toBe(false);
    expect(after.documents.map((one) => one.readySegments)).toEqual([10, 5]);
    expect([after.readySegments, after.voicedSegments, after.audioMs, after.lastEventId]).toEqual([15, 30, 15_000, 9]);
    // What is shown already is not changed behind the page's back.
    expect(project.documents[0]?.readySegments).toBe(0);
  });

  it("change nothing when they are known already", () => {
    expect(apply(7, progress("d1", 10, 10))).toEqual({ project, refetch: false });
    expect(apply(3, progress("d1", 10, 10)).project).toBe(project);
  });

  it("ask the server for what they do not carry", () => {
    const importing: ProjectDetail = { ...project, importState: "waiting", documents: [] };
    const imported = apply(8, { type: "import", state: "ready" }, importing);
    // Not "ready" while its chapters are not there: the page would say that the book has no text.
    expect([imported.project.importState, imported.refetch]).toEqual(["waiting", true]);
    // Not "failed" while its reason is not there: the page would call it unexpected.
    const refused = apply(8, { type: "import", state: "failed", message: "x" }, importing);
    expect([refused.project.importState, refused.refetch]).toEqual(["waiting", true]);
    const ended = apply(8, { type: "conversion", conversionId: "c", state: "failed" });
    expect([ended.project.conversions[0]?.state, ended.refetch]).toEqual(["failed", true]);
    expect(apply(8, { type: "conversion", conversionId: "c", state: "running" }).refetch).toBe(false);
    expect(apply(8, { type: "conversion", conversionId: "another", state: "running" }).refetch).toBe(true);
    const failed = apply(8, {
      type: "task-failed",
      conversionId: "c",
      taskId: "t",
      code: "model-failed",
      message: "x",
    });
    expect([failed.project.conversions[0]?.failed, failed.refetch]).toEqual([1, true]);
  });

  it("move an export, and ask for its file when it is there", () => {
    const running = apply(8, { type: "export", exportId: "e", state: "running", progress: 0.5 });
    expect([running.project.exports[0]?.progress, running.refetch]).toEqual([0.5, false]);
    const ready = apply(9, { type: "export", exportId: "e", state: "ready" }, running.project);
    const made = ready.project.exports[0];
    expect([made?.state, made?.progress, ready.refetch]).toEqual(["running", 1, true]);
    const failed = apply(9, { type: "export", exportId: "e", state: "failed" }, running.project);
    expect([failed.project.exports[0]?.state, failed.refetch]).toEqual(["running", true]);
  });

  it("of a later version are passed over, but not repeated", () => {
    const { project: after, refetch } = apply(8, { type: "weather" } as never);
    expect([after.lastEventId, refetch, after.documents]).toEqual([8, false, project.documents]);
  });
});

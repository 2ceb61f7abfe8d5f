import { assemblyPlanSchema } from "@katari/contracts";
import type { DatabaseHandle } from "@katari/database";
import { clearDatabase, openTestDatabase } from "@katari/database/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isExport, isSpeech, samplesPerSymbol, silenceSamples, spoken, until } from "../testing/hand-worker.ts";
import { ann, openWorkshop, type Workshop } from "../testing/workshop.ts";

describe("an export", () => {
  let database: DatabaseHandle;
  let workshop: Workshop;
  beforeAll(async () => {
    database = await openTestDatabase();
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

  const convert = async (projectId: string) => {
    const { application, worker } = workshop;
    const { id } = await application.startConversion(ann, projectId, { voice: "hand" });
    await until(async () => {
      for (const held of worker.held.filter(isSpeech)) await held.answer(spoken(held.task));
      return (await application.getConversion(ann, id)).state === "succeeded";
    });
  };

  it("plans every sentence once, with its sound, a margin and the pause of what follows it", async () => {
    const { application, worker, store } = workshop;
    const projectId = await workshop.importBook([
      { title: "One", paragraphs: [["It rained.", "He left."], ["* * *"], ["She stayed."]] },
      { title: "Two", paragraphs: [["It was dry."]] },
    ]);
    await convert(projectId);
    await application.startExport(ann, projectId, { format: "flac" });
    const [held] = (await worker.waitFor(1)).filter(isExport);
    if (held === undefined) throw new Error("no export task");
    expect(held.task).toMatchObject({ format: "flac", loudness: { targetLufs: -19, ceilingDbtp: -3 } });
    const stored = JSON.parse(new TextDecoder().decode(await store.get(held.task.planKey)));
    const plan = assemblyPlanSchema.parse(stored);

    expect(plan.sampleRate).toBe(24_000);
    expect(plan.tags).toMatchObject({ title: "A Small Book", authors: ["Ann Author"], narrator: "Hand" });
    expect(plan.documents.map((document) => document.title)).toEqual(["One", "Two"]);
    // Sentence 420 ms; then a scene break of 1,800 ms, which is longer than the paragraph's 750; chapter ends 2,500 ms.
    expect(plan.documents.map((document) => document.segments.map((segment) => segment.pauseMs))).toEqual([
      [420, 1_800, 2_500],
      [2_500],
    ]);
    const margin = 720; // 30 ms at 24,000 Hz
    const symbols = await database.db.selectFrom("tasks").select(["take_key", "payload"]).execute();
    for (const segment of plan.documents.flatMap((document) => document.segments)) {
      const [clip] = segment.clips;
      const key = /takes\/(.*)\.wav/.exec(clip?.audioKey ?? "")?.[1];
      const payload = symbols.find((row) => row.take_key === key)?.payload;
      const parts = (payload?.["parts"] ?? []) as { readonly start: number; readonly end: number }[];
      const sounds = parts.map((part) => (part.end - part.start) * samplesPerSymbol);
      // Parts stand in the take one after the other, each with silence on both sides of its sound.
      const ranges = sounds.map((sound, index) => {
        const before = sounds.slice(0, index).reduce((sum, each) => sum + each + 2 * silenceSamples, 0);
        return { start: before + silenceSamples - margin, end: before + silenceSamples + sound + margin };
      });
      expect(segment.clips).toHaveLength(1);
      expect(ranges).toContainEqual({ start: clip?.startSamples, end: clip?.endSamples });
      expect(segment.words.length).toBeGreaterThan(0);
    }
    const ids = plan.documents.flatMap((document) => document.segments.map((segment) => segment.segmentId));
    expect(new Set(ids).size).toBe(4);
  });

  it("cuts a long sentence into clips that follow each other", async () => {
    const long =
      "They walked along the river for a long while, past the mill and the old stone bridge, through the meadows where " +
      "the cattle stood, over the hill with its ruined tower, down the lane between the hawthorn hedges, and came at " +
      "last, when the sun was already low and the shadows of the elms lay long across the grass, to the small grey " +
      "house at the edge of the wood where nobody had lived for years.";
    const projectId = await workshop.importBook([{ title: "One", paragraphs: [[long]] }]);
    await convert(projectId);
    const { application } = workshop;
    const [document] = (await application.getProject(ann, projectId)).documents;
    const { segments } = await application.listSegments(ann, { projectId, documentId: document?.id ?? "", limit: 5 });
    expect(segments).toHaveLength(1);
    const audio = await application.getSegmentAudio(ann, projectId, segments[0]?.id ?? "");
    expect(audio.clips.length).toBeGreaterThan(1);
    expect(new Set(audio.clips.map((clip) => clip.audioKey)).size).toBe(audio.clips.length);
  });

  it("refuses to hide a gap, and names the first", async () => {
    const projectId = await workshop.importBook([{ title: "One", paragraphs: [["It rained."], ["He left."]] }]);
    const { application } = workshop;
    const before = application.startExport(ann, projectId, {});
    await expect(before).rejects.toMatchObject({ code: "incomplete", details: { missing: 2 } });
    await expect(before).rejects.toThrow("One: “It rained.”");
    expect((await application.getProject(ann, projectId)).exports).toEqual([]);
  });

  it("is made once for the same content, and again after it failed", async () => {
    const projectId = await workshop.importBook([{ title: "One", paragraphs: [["It rained."]] }]);
    const { application, worker } = workshop;
    await convert(projectId);
    const ids = new Set<string>();
    for (const format of ["m4b", "m4b", "mp3"] as const)
      ids.add((await application.startExport(ann, projectId, { format })).id);
    expect(ids.size).toBe(2);
    // The same again after another conversion that changed nothing.
    await convert(projectId);
    ids.add((await application.startExport(ann, projectId, { format: "m4b" })).id);
    expect(ids.size).toBe(2);

    const held = (await worker.waitFor(2)).filter(isExport);
    const [m4b] = held.filter((each) => each.task.format === "m4b");
    await m4b?.send({ kind: "progress", ratio: 0.5 });
    await until(async () => (await application.getExport(ann, m4b?.task.exportId ?? "")).progress === 0.5);
    await m4b?.answer({ kind: "failed", code: "disk-full", message: "The disk is full.", cure: "Free some space." });
    await until(async () => (await application.getExport(ann, m4b?.task.exportId ?? "")).state === "failed");
    expect(await application.getExport(ann, m4b?.task.exportId ?? "")).toMatchObject({
      code: "disk-full",
      message: "The disk is full.",
      cure: "Free some space.",
    });
    const again = await application.startExport(ann, projectId, { format: "m4b" });
    expect(ids.has(again.id)).toBe(false);
  });

  it("has a way back when audio is gone from the store: converting again speaks only that", async () => {
    const texts = ["Anna", "Bertha", "Clara"].map(
      (name) => `${name} stood at the window for a long while and looked at the rain that fell on the river.`,
    );
    const projectId = await workshop.importBook([{ title: "One", paragraphs: texts.map((text) => [text]) }]);
    await convert(projectId);
    const { application, worker, store } = workshop;
    const takes = await database.db.selectFrom("takes").selectAll().orderBy("key").execute();
    expect(takes).toHaveLength(3);
    await store.delete([takes[0]?.audio_key ?? ""]);

    const { id } = await application.startConversion(ann, projectId, { voice: "hand" });
    const [held, ...others] = (await worker.waitFor(1)).filter(isSpeech);
    expect(others).toEqual([]);
    expect(held?.task.takeKey).toBe(takes[0]?.key);
    if (held) await held.answer(spoken(held.task));
    await workshop.conversionIs(id, "succeeded");
    expect((await application.getConversion(ann, id)).tasks).toBe(1);
    await application.startExport(ann, projectId, {});
  });

  it("is made again when its finished file is gone from the store", async () => {
    const projectId = await workshop.importBook([{ title: "One", paragraphs: [["It rained."]] }]);
    await convert(projectId);
    const { application, worker, store } = workshop;
    const first = await application.startExport(ann, projectId, { format: "wav" });
    const [held] = (await worker.waitFor(1)).filter(isExport);
    const objectKey = "exports/a.wav";
    const facts = { sha256: "a", sizeBytes: 1, sampleRate: 24_000, lengthSamples: 1, timelineKey: "exports/a.json" };
    const file = { objectKey, ...facts, loudnessLufs: -19, truePeakDbtp: -3, gainDb: 0 };
    await held?.answer({ kind: "succeeded", result: { kind: "export", file } });
    await until(async () => (await application.getExport(ann, first.id)).state === "ready");
    expect((await application.startExport(ann, projectId, { format: "wav" })).id).toBe(first.id);
    await store.delete([objectKey]);
    expect((await application.startExport(ann, projectId, { format: "wav" })).id).not.toBe(first.id);
    expect(await application.getExport(ann, first.id)).toMatchObject({ state: "failed", code: "not-found" });
  });
});

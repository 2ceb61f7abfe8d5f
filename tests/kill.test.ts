import type { Completeness, Conversion, Export, ProjectDetail } from "@katari/contracts";
import type { Timeline } from "@katari/core";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makePlace, type Place } from "./support/katari.ts";
import { installTestVoice } from "./support/test-voice.ts";
import { counter, kill, objects, startStudio, until, type Studio } from "./support/studio.ts";

/**
 * kill -9 at random moments. What is counted is the model server's own inference counter: no cache of the product can
 * flatter it. The seed of each run is in its name.
 */
const paragraphs = 120;
const book = Array.from(
  { length: paragraphs },
  (_, at) =>
    `Paragraph ${at + 1} of the long story begins here, and it goes on for quite a while until it ends. It ends.`,
).join("\n\n");

describe("kill -9", () => {
  let place: Place;
  let studio: Studio;
  let inferences = 0;
  beforeEach(async () => {
    place = await makePlace({ ownCache: true });
    await installTestVoice(place);
    inferences = 0;
    studio = await startStudio(place);
  });
  afterEach(async () => {
    await studio.killTree();
    await place.remove();
  });

  const importBook = async (): Promise<ProjectDetail> => {
    const { projectId } = await studio.api<{ projectId: string }>("/projects?fileName=story.txt", {
      method: "POST",
      body: book,
      headers: { "content-type": "application/octet-stream" },
    });
    return until(async () => {
      const project = await studio.api<ProjectDetail>(`/projects/${projectId}`);
      return project.importState === "ready" ? project : undefined;
    }, "the import");
  };
  const startConversion = (project: ProjectDetail): Promise<Conversion> =>
    studio.api<Conversion>(`/projects/${project.id}/conversions`, {
      method: "POST",
      body: JSON.stringify({ voice: "test" }),
      headers: { "content-type": "application/json" },
    });
  const takes = async (): Promise<number> => (await objects(place, "takes")).length;
  const progress = (conversion: Conversion): Promise<Conversion> => studio.api(`/conversions/${conversion.id}`);
  const finish = (conversion: Conversion): Promise<Conversion> =>
    until(async () => {
      const now = await progress(conversion);
      return ["succeeded", "failed", "cancelled"].includes(now.state) ? now : undefined;
    }, "the conversion");

  /** Waits until a share of the takes is there: a random moment of the work, whatever the machine's speed. */
  const waitForTakes = async (conversion: Conversion, share: number): Promise<void> => {
    await until(async () => {
      const { tasks, state } = await progress(conversion);
      return state !== "planning" && (await takes()) >= share * tasks ? true : undefined;
    }, "some takes");
  };

  /** Every sentence is in the finished programme once, in order, and every character is accounted for. */
  const expectWhole = async (project: ProjectDetail): Promise<void> => {
    const completeness = await studio.api<Completeness>(`/projects/${project.id}/completeness`);
    const skipped = completeness.skipped.reduce((sum, each) => sum + each.characters, 0);
    expect(completeness.failed).toEqual([]);
    expect(completeness.waiting).toBe(0);
    expect(completeness.voiced + skipped).toBe(book.replaceAll(/\s/gu, "").length);
    const started = await studio.api<Export>(`/projects/${project.id}/exports`, {
      method: "POST",
      body: JSON.stringify({ format: "wav" }),
      headers: { "content-type": "application/json" },
    });
    const ready = await until(async () => {
      const now = await studio.api<Export>(`/exports/${started.id}`);
      return now.state === "ready" || now.state === "failed" ? now : undefined;
    }, "the export");
    expect(ready.state).toBe("ready");
    const path = join(place.data, "store", "objects", "exports", `${ready.sha256}.timeline.json`);
    const timeline = JSON.parse(await readFile(path, "utf8")) as Timeline;
    const ids = timeline.documents.flatMap((document) => document.segments.map((segment) => segment.segmentId));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(project.segments);
    const starts = timeline.documents.flatMap((document) => document.segments.map((segment) => segment.startSamples));
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  };

  /** Moments of the work at which it strikes, as shares of it: the same for the same seed (mulberry32). */
  const moments = (seed: number, count: number): number[] => {
    let state = seed;
    return Array.from({ length: count }, () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    }).toSorted((a, b) => a - b);
  };

  it("of the whole tree, five times: the next run goes on, and renders nothing that was finished (seed 1)", async () => {
    const project = await importBook();
    const conversion = await startConversion(project);
    for (const moment of moments(1, 5)) {
      await waitForTakes(conversion, moment * 0.95);
      await studio.killTree();
      const finished = await takes();
      studio = await startStudio(place);
      const { tasks } = await progress(conversion);
      // Each utterance has its own text, so one take is one inference; what is finished may not be made again.
      const allowed = tasks - finished;
      await until(async () => ((await takes()) > finished || finished === tasks ? true : undefined), "work to go on");
      expect(counter(await studio.modelMetrics(), "katari_inference_total")).toBeLessThanOrEqual(allowed);
    }
    const finished = await takes();
    const before = counter(await studio.modelMetrics(), "katari_inference_total");
    const ended = await finish(conversion);
    expect(ended).toMatchObject({ state: "succeeded", remaining: 0, failed: 0 });
    const rendered = counter(await studio.modelMetrics(), "katari_inference_total") - before;
    // Between the two looks a run or two may have ended.
    expect(rendered).toBeLessThanOrEqual(ended.tasks - finished + 3);
    expect(await takes()).toBe(ended.tasks);
    await expectWhole(project);
  });

  const strike = async (pattern: RegExp, seed: number): Promise<void> => {
    const project = await importBook();
    const conversion = await startConversion(project);
    let struck = 0;
    for (const moment of moments(seed, 5)) {
      await waitForTakes(conversion, moment * 0.95);
      const pids = await until(
        async () => {
          const found = await studio.children(pattern);
          return found.length > 0 ? found : undefined;
        },
        `a process that matches ${String(pattern)}`,
      );
      for (const pid of pids.slice(0, 1)) kill(pid);
      struck++;
    }
    const ended = await finish(conversion);
    expect(ended).toMatchObject({ state: "succeeded", remaining: 0, failed: 0 });
    expect(await takes()).toBe(ended.tasks);
    inferences = counter(await studio.modelMetrics(), "katari_inference_total");
    // What a strike may waste is what was in flight at that moment: one for each slot of the worker.
    const { workers } = await studio.api<{ workers: { slots: Record<string, number> }[] }>("/system");
    const slots = Math.max(...workers.map(({ slots }) => Object.values(slots).reduce((sum, each) => sum + each, 0)));
    expect(inferences).toBeGreaterThanOrEqual(ended.tasks);
    expect(inferences).toBeLessThanOrEqual(ended.tasks + struck * slots);
    await expectWhole(project);
  };

  it("of a model's child, five times: the same run finishes (seed 2)", () => strike(/onnx-child/u, 2));
  it("of the speech worker, five times: the same run finishes (seed 3)", () =>
    strike(/apps\/worker\/dist\/main\.js/u, 3));
});

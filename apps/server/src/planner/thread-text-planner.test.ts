import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { handVoice } from "../testing/voice.ts";
import { textPlannerHere } from "../testing/workshop.ts";
import type { PlannedVoice, SegmentToSpeak, TextPlanner } from "./text-planner.ts";
import { createThreadTextPlanner } from "./thread-text-planner.ts";
import { plannedVoice } from "./voices.ts";

// Threads run built code: there is no TypeScript in them.
const threadModule = new URL("../../dist/planner/planner-thread.js", import.meta.url);

const segment = (id: string, text: string): SegmentToSpeak => ({
  id,
  blockId: "b",
  blockKind: "paragraph",
  language: "en-US",
  text,
  spans: [],
  boundary: { kind: "sentence" },
});

describe("the text planner in its thread", () => {
  let folder: string;
  let voice: PlannedVoice;
  let planner: TextPlanner;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "katari-planner-"));
    const { voices } = await handVoice(folder);
    voice = plannedVoice(await voices.load("hand"), "digest");
    planner = createThreadTextPlanner({ threadModule });
  });
  afterAll(async () => {
    await planner.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("plans what the same code plans here", async () => {
    const request = { voice, segments: [segment("1", "The cat sat on the mat."), segment("2", "It was warm.")] };
    const plan = await planner.plan(request);
    expect(plan).toEqual(await textPlannerHere().plan(request));
    expect(plan.utterances.flatMap((each) => each.parts.map((part) => part.segmentId))).toEqual(["1", "2"]);
  });

  it("answers each of several requests with its own plan", async () => {
    const texts = ["One river.", "Two bridges.", "Three mills."];
    const plans = await Promise.all(texts.map((text) => planner.plan({ voice, segments: [segment(text, text)] })));
    expect(plans.map((plan) => plan.utterances[0]?.parts[0]?.segmentId)).toEqual(texts);
  });

  it("hands errors over with their code and cure", async () => {
    const broken = join(folder, "gold.json");
    await writeFile(broken, "not JSON");
    const damaged = { ...voice, key: "damaged", pronunciation: { "en-US": { gold: broken } } };
    await expect(planner.plan({ voice: damaged, segments: [segment("1", "Hi.")] })).rejects.toMatchObject({
      code: "voice-damaged",
      cure: expect.stringContaining("katari voices"),
    });
  });

  it("lets go of a request that is cancelled, and serves the next", async () => {
    const controller = new AbortController();
    const cancelled = planner.plan({ voice, segments: [segment("1", "Gone.")] }, controller.signal);
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
    const plan = await planner.plan({ voice, segments: [segment("1", "Here.")] });
    expect(plan.forms).toHaveLength(1);
  });
});

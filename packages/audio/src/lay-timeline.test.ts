import type { AssemblyPlan, Clip, PlannedSegment } from "@katari/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layTimeline } from "./lay-timeline.ts";
import { collect, makePlan } from "./testing/signals.ts";
import { renderPlan } from "./render-plan.ts";

const clip = (audioKey: string, startSamples: number, endSamples: number): Clip => ({
  audioKey,
  startSamples,
  endSamples,
});
const withSegments = (...segments: PlannedSegment[]): AssemblyPlan => ({
  ...makePlan({ documents: 0, segments: 0, clipSamples: () => 0, leadInMs: 0, leadOutMs: 0 }),
  documents: [{ documentId: "d", title: "One", segments }],
});

describe("timeline", () => {
  it("starts each chapter at its first sample and ends it where the next one starts", () => {
    // 500 ms = 12,000; a clip of 1,000 and a pause of 433 ms = 10,392; lead-out 1 s = 24,000.
    const timeline = layTimeline(makePlan({ documents: 2, segments: 1, clipSamples: () => 1000 }));
    expect(timeline.documents.map((d) => [d.startSamples, d.endSamples])).toEqual([
      [12_000, 23_392],
      [23_392, 58_784],
    ]);
    expect(timeline.lengthSamples).toBe(58_784);
    expect(timeline.documents[1]?.segments[0]).toMatchObject({ startSamples: 23_392, endSamples: 24_392 });
  });

  it("does not drift over 60 chapters of 10 s", () => {
    const plan = makePlan({ documents: 60, segments: 1, clipSamples: () => 240_000 - 7, pauseMs: 7 / 24, leadInMs: 0 });
    const timeline = layTimeline(plan);
    timeline.documents.forEach((document, i) => expect(document.startSamples).toBe(i * 240_000));
  });

  it("rounds each pause once", () => {
    // 0.0625 ms at 24 kHz are 1.5 samples: 2 after rounding, every time.
    const plan = makePlan({ documents: 1, segments: 100, clipSamples: () => 10, pauseMs: 0.0625, leadInMs: 0 });
    const timeline = layTimeline({ ...plan, leadOutMs: 0 });
    expect(timeline.lengthSamples).toBe(100 * 12);
  });

  it("keeps a short pause between clips that were spoken apart, and none where the take goes on", () => {
    // 120 ms at 24 kHz are 2,880 samples.
    const apart = layTimeline(
      withSegments({ segmentId: "s", clips: [clip("a", 0, 100), clip("b", 0, 50)], words: [], pauseMs: 0 }),
    );
    expect(apart.lengthSamples).toBe(100 + 2880 + 50);
    const on = layTimeline(
      withSegments({ segmentId: "s", clips: [clip("a", 0, 100), clip("a", 100, 150)], words: [], pauseMs: 0 }),
    );
    expect(on.lengthSamples).toBe(150);
  });

  it("moves words with their clips and keeps them inside", () => {
    const timeline = layTimeline(
      withSegments({
        segmentId: "s",
        clips: [clip("a", 1000, 1100), clip("b", 500, 600)],
        words: [
          { clip: 0, startSamples: 990, endSamples: 1050 },
          { clip: 1, startSamples: 510, endSamples: 700 },
        ],
        pauseMs: 0,
      }),
    );
    expect(timeline.documents[0]?.segments[0]?.words).toEqual([
      [0, 50],
      [100 + 2880 + 10, 100 + 2880 + 100],
    ]);
  });

  it("has exactly as many samples as are rendered, for any plan", async () => {
    const segment = fc.record({
      segmentId: fc.constant("s"),
      clips: fc.array(
        fc
          .tuple(fc.constantFrom("a", "b"), fc.nat(40), fc.nat(900))
          .map(([key, start, length]) => clip(key, start, start + length)),
        { maxLength: 3 },
      ),
      words: fc.constant([]),
      pauseMs: fc.nat(900).map((value) => value / 7),
    });
    const document = fc.record({
      documentId: fc.constant("d"),
      title: fc.constant("t"),
      segments: fc.array(segment, { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(document, { maxLength: 4 }), fc.nat(50), async (documents, leadInMs) => {
        const plan = { ...withSegments(), documents, leadInMs };
        const readClip = (wanted: Clip) =>
          Promise.resolve(new Float32Array(wanted.endSamples - wanted.startSamples).fill(0.1));
        const pcm = await collect(renderPlan({ plan, readClip }));
        expect(pcm.length).toBe(layTimeline(plan).lengthSamples);
      }),
      { numRuns: 60 },
    );
  });

  it("refuses ranges and pauses that are none", () => {
    const bad =
      (clips: Clip[], pauseMs = 0) =>
      () =>
        layTimeline(withSegments({ segmentId: "s", clips, words: [], pauseMs }));
    expect(bad([clip("a", 10, 5)])).toThrowError(/not a range/);
    expect(bad([clip("a", 0.5, 5)])).toThrowError(/not a range/);
    expect(bad([], Number.NaN)).toThrowError(/not a length/);
    expect(bad([], -1)).toThrowError(/not a length/);
  });
});

import type { Clip } from "@katari/core";
import { describe, expect, it } from "vitest";
import { layTimeline } from "./lay-timeline.ts";
import { renderPlan } from "./render-plan.ts";
import {
  collect,
  createNoise,
  firstDifference,
  makePlan,
  readSpeech,
  sine,
  syntheticSpeech,
} from "./testing/signals.ts";

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const step = (pcm: Float32Array, i: number): number => Math.abs((pcm[i] ?? 0) - (pcm[i - 1] ?? 0));

/** Median step of the 20 ms of sound next to a join (from it, or up to it). */
function localMedianStep(pcm: Float32Array, from: number, to: number): number {
  return median(Array.from({ length: to - from - 1 }, (_, i) => step(pcm, from + 1 + i)));
}

describe("rendering a plan", () => {
  it("joins ten takes without a step at any join, also when they were cut in full sound", async () => {
    const plan = makePlan({ documents: 2, segments: 5, clipSamples: (i) => 24_000 + i * 1013, pauseMs: 250 });
    // A cosine is at its highest right at the cut: the worst place.
    const readClip = (clip: Clip) => {
      const noise = createNoise(clip.endSamples);
      return Promise.resolve(
        sine(180, 0.5, clip.endSamples / 24_000, 24_000, Math.PI / 2).map((value) => value + 0.01 * noise()),
      );
    };
    const pcm = await collect(renderPlan({ plan, readClip }));
    const segments = layTimeline(plan).documents.flatMap((document) => document.segments);
    expect(segments).toHaveLength(10);
    for (const { startSamples, endSamples } of segments) {
      expect(step(pcm, startSamples)).toBeLessThanOrEqual(8 * localMedianStep(pcm, startSamples, startSamples + 480));
      expect(step(pcm, endSamples)).toBeLessThanOrEqual(8 * localMedianStep(pcm, endSamples - 480, endSamples));
      // Nothing inside the fades steps either.
      for (let i = 0; i < 240; i++) {
        const around = localMedianStep(pcm, startSamples, startSamples + 960);
        expect(step(pcm, startSamples + i)).toBeLessThanOrEqual(8 * around);
      }
    }
  });

  it("leaves everything but the fades as the take has it", async () => {
    const plan = makePlan({ documents: 1, segments: 1, clipSamples: () => 4000 });
    const pcm = await collect(renderPlan({ plan, readClip: readSpeech }));
    const take = syntheticSpeech("take-0", 4000);
    // Lead-in 12,000 samples; fades of 8 ms = 192 samples.
    expect(firstDifference(pcm.subarray(12_000 + 192, 12_000 + 4000 - 192), take.subarray(192, 4000 - 192))).toBe(-1);
    expect(pcm.subarray(0, 12_001).every((value) => value === 0)).toBe(true);
  });

  it("touches nothing where a take goes on into the next segment without a pause", async () => {
    const base = makePlan({ documents: 1, segments: 2, clipSamples: () => 0, pauseMs: 0 });
    const whole = syntheticSpeech("take", 6000);
    const segment = (segmentId: string, startSamples: number, endSamples: number) => ({
      segmentId,
      clips: [{ audioKey: "take", startSamples, endSamples }],
      words: [],
      pauseMs: 0,
    });
    const plan = {
      ...base,
      documents: [{ documentId: "d", title: "t", segments: [segment("a", 0, 3100), segment("b", 3100, 6000)] }],
    };
    const readClip = (clip: Clip) => Promise.resolve(whole.slice(clip.startSamples, clip.endSamples));
    const pcm = await collect(renderPlan({ plan, readClip }));
    expect(firstDifference(pcm.subarray(12_000 + 192, 12_000 + 6000 - 192), whole.subarray(192, 6000 - 192))).toBe(-1);
  });

  it("gives small blocks and reads at most four clips ahead", async () => {
    const plan = makePlan({ documents: 1, segments: 30, clipSamples: () => 50_000 });
    let begun = 0;
    let heard = 0;
    const readClip = (clip: Clip) => {
      begun++;
      return Promise.resolve(new Float32Array(clip.endSamples).fill(0.2));
    };
    for await (const block of renderPlan({ plan, readClip })) {
      expect(block.length).toBeLessThanOrEqual(4096);
      heard += block.filter((value) => value !== 0).length;
      expect(begun - Math.floor(heard / 49_990)).toBeLessThanOrEqual(5);
    }
    expect(begun).toBe(30);
  });

  it("stops at an abort and stops reading", async () => {
    const plan = makePlan({ documents: 1, segments: 10, clipSamples: () => 20_000 });
    const control = new AbortController();
    const signals: AbortSignal[] = [];
    const readClip = (clip: Clip, signal?: AbortSignal) => {
      if (signal) signals.push(signal);
      return Promise.resolve(new Float32Array(clip.endSamples));
    };
    const rendering = (async () => {
      for await (const block of renderPlan({ plan, readClip, signal: control.signal }))
        if (block.length > 0) control.abort();
    })();
    await expect(rendering).rejects.toMatchObject({ name: "AbortError" });
    expect(signals.length).toBeGreaterThan(0);
    expect(signals.every((signal) => signal.aborted)).toBe(true);
  });

  it("does not accept a clip of another length", async () => {
    const plan = makePlan({ documents: 1, segments: 1, clipSamples: () => 100 });
    const rendering = collect(renderPlan({ plan, readClip: () => Promise.resolve(new Float32Array(99)) }));
    await expect(rendering).rejects.toMatchObject({ code: "incomplete" });
  });

  it("throws what the reading of a clip throws, in its turn", async () => {
    const plan = makePlan({ documents: 1, segments: 6, clipSamples: () => 100 });
    const readClip = (clip: Clip) =>
      clip.audioKey === "take-3" ? Promise.reject(new Error("gone")) : Promise.resolve(new Float32Array(100));
    await expect(collect(renderPlan({ plan, readClip }))).rejects.toThrowError("gone");
  });
});

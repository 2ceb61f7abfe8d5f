import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createResampler } from "./resampler.ts";
import { renderPlan } from "./render-plan.ts";
import { bestLag, ffmpegDecode, ffmpegLoudness, ffprobe, lacks, run } from "./testing/independent-readers.ts";
import {
  collect,
  concatenate,
  firstDifference,
  makePlan,
  onePixelPng,
  readSpeech,
  syntheticSpeech,
} from "./testing/signals.ts";
import { programmeFormats, writeProgramme, type ProgrammeFormat, type WrittenProgramme } from "./write-programme.ts";

const cover = { mediaType: "image/png" as const, bytes: onePixelPng };
const plan = makePlan({ documents: 3, segments: 3, clipSamples: (i) => 48_000 + i * 1013, pauseMs: 417 });
const title = "Don't Panic — 語り";

describe("a programme read by ffmpeg", () => {
  beforeEach(({ skip }) => skip(lacks("ffmpeg", "ffprobe"), "ffmpeg and ffprobe are not installed"));
  let folder = "";
  let source: Float32Array = new Float32Array();
  const written = new Map<ProgrammeFormat, { readonly path: string; readonly result: WrittenProgramme }>();

  beforeAll(async () => {
    // An apostrophe and a space in the path are what people's books have.
    folder = join(await mkdtemp(join(tmpdir(), "katari-read-")), "Don't Panic");
    await mkdir(folder);
    source = await collect(renderPlan({ plan, readClip: readSpeech }));
    for (const format of programmeFormats) {
      const path = join(folder, `Don't Panic.${format}`);
      written.set(format, { path, result: await writeProgramme({ format, plan, readClip: readSpeech, cover, path }) });
    }
  });
  afterAll(() => rm(join(folder, ".."), { recursive: true, force: true }));

  const file = (format: ProgrammeFormat) => {
    const found = written.get(format);
    if (!found) throw new Error(`no ${format}`);
    return found;
  };

  it.each(programmeFormats)("has three chapters where the timeline has them (%s)", (format) => {
    const { path, result } = file(format);
    const { chapters } = ffprobe(path);
    expect(chapters.map((chapter) => chapter.tags.title)).toEqual([
      "Chapter 1 ― 章",
      "Chapter 2 ― 章",
      "Chapter 3 ― 章",
    ]);
    const starts = chapters.map((chapter) => chapter.start * (24_000 / Number(chapter.time_base.split("/")[1])));
    // Milliseconds are all that ID3 and Vorbis comments have: half of one is 12 samples.
    const tolerance = format === "m4b" || format === "wav" ? 0 : 12;
    starts.forEach((start, i) => {
      const wanted = result.timeline.documents[i]?.startSamples ?? Number.NaN;
      expect(Math.abs(start - wanted)).toBeLessThanOrEqual(tolerance);
    });
  });

  it.each(programmeFormats)("carries tags (%s)", (format) => {
    const { tags } = ffprobe(file(format).path).format;
    const read = Object.fromEntries(Object.entries(tags).map(([name, value]) => [name.toLowerCase(), value]));
    expect(read).toMatchObject({ title, album: title, genre: "Audiobook", comment: "Narrated by Katari" });
    expect(read["artist"]).toMatch(/^Ada Author.+Bo Writer$/);
    expect(read["date"]).toBe("1895");
    expect(Object.values(read)).toContain("Heart (Kokoro)");
  });

  it.each(["m4b", "mp3", "flac"] satisfies ProgrammeFormat[])("carries the cover (%s)", (format) => {
    const pictures = ffprobe(file(format).path).streams.filter((stream) => stream.disposition.attached_pic === 1);
    expect(pictures.map((stream) => stream.codec_name)).toEqual(["png"]);
  });

  it.each(programmeFormats)("decodes to the programme's length (%s)", (format) => {
    const { path, result } = file(format);
    const extra = ffmpegDecode(path).length - result.lengthSamples;
    expect(extra).toBeGreaterThanOrEqual(0);
    // AAC ends on a whole packet of 1,024; the others tell their true end.
    expect(extra).toBeLessThanOrEqual(format === "m4b" ? 1023 : 0);
  });

  it.each(programmeFormats)("starts on its first sample (%s)", (format) => {
    const decoded = ffmpegDecode(file(format).path);
    let reference = source;
    if (format === "mp3") {
      const resampler = createResampler(24_000, 44_100);
      reference = concatenate([resampler.push(source), resampler.flush()]);
    }
    // From within the lead-in into the second sentence; and near the end, so that nothing slips on the way.
    expect(bestLag(reference, decoded, 10_000, 60_000, 40)).toBe(0);
    expect(bestLag(reference, decoded, reference.length - 90_000, reference.length - 40_000, 40)).toBe(0);
  });

  it("is lossless as FLAC", () => {
    expect(firstDifference(ffmpegDecode(file("flac").path), ffmpegDecode(file("wav").path))).toBe(-1);
  });

  it.each(programmeFormats)("has −19 LUFS and peaks of at most −3 dBTP when decoded (%s)", (format) => {
    const { integratedLufs, truePeakDbtp } = ffmpegLoudness(file(format).path);
    expect(Math.abs(integratedLufs + 19)).toBeLessThanOrEqual(0.3);
    expect(truePeakDbtp).toBeLessThanOrEqual(-3);
  });

  it.each(programmeFormats)("keeps the ceiling also when the limiter has much to do (%s)", async (format) => {
    const path = join(folder, `loud.${format}`);
    const loudness = { targetLufs: -12, ceilingDbtp: -3 };
    await writeProgramme({ format, plan, readClip: readSpeech, path, loudness });
    expect(ffmpegLoudness(path).truePeakDbtp).toBeLessThanOrEqual(-3);
  });

  it("is an audiobook with a menu for mediainfo", ({ skip }) => {
    skip(lacks("mediainfo"), "mediainfo is not installed");
    const { path, result } = file("m4b");
    const report = run("mediainfo", [path]).stdout.toString();
    expect(report).toMatch(/Codec ID\s+: M4B /);
    expect(report).toMatch(/Format\s+: AAC LC/);
    expect(report).toMatch(/Cover\s+: Yes/);
    const third = new Date(((result.timeline.documents[2]?.startSamples ?? 0) / 24_000) * 1000);
    expect(report).toContain(third.toISOString().slice(11, 22));
    expect(report.match(/Chapter 3 ― 章/g)).toHaveLength(2);
  });
});

describe("chapters over a long programme", () => {
  beforeEach(({ skip }) => skip(lacks("ffprobe"), "ffprobe is not installed"));
  it("has 60 chapters of 10 s on their samples, to the last one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "katari-sixty-"));
    try {
      // 8 kHz, so that ten minutes are encoded quickly.
      const take = syntheticSpeech("long", 79_993, 8_000);
      const shape = { documents: 60, segments: 1, clipSamples: () => take.length, pauseMs: 7 / 8, leadInMs: 0 };
      const path = join(folder, "sixty.m4b");
      await writeProgramme({
        format: "m4b",
        plan: makePlan({ ...shape, leadOutMs: 0, sampleRate: 8_000 }),
        readClip: () => Promise.resolve(take),
        path,
      });
      const { chapters } = ffprobe(path);
      expect(chapters.map((chapter) => chapter.start)).toEqual(Array.from({ length: 60 }, (_, i) => i * 80_000));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 300_000);
});

import type { Completeness, ProjectDetail, ProjectSummary, SegmentPage } from "@katari/contracts";
import type { Timeline } from "@katari/core";
import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { book, bookIsMissing, countSource, missingSentences, pageText, transcribe } from "./support/book.ts";
import { katariSucceeds, makePlace, type Place } from "./support/katari.ts";
import { chapterStarts, cutWav, decodedSamples, ffprobe, loudness, mediainfo, tagsOf } from "./support/readers.ts";
import { counter, objects, startStudio, type Studio } from "./support/studio.ts";

/**
 * A real book with the default voice, as a person would narrate it: first with the command line alone, then beside a
 * running studio. What comes out is read by programs that share nothing with Katari. The tests go on from one another:
 * speech is dear, so every sentence is rendered once.
 */
const epilogue = 13;
const openingCharacters = /^[“"‘'(]*[A-Z]/u;

interface Listing {
  readonly documents: readonly { index: number; title: string; characters: number; segments: number }[];
  readonly skipped: readonly { title: string; rule: string; characters: number }[];
}

interface Narrated {
  readonly output: string;
  readonly format: string;
  readonly lengthMs: number;
  readonly sizeBytes: number;
  readonly sha256: string;
}

describe("The Time Machine", () => {
  let place: Place;
  let listing: Listing;
  let first: Narrated;
  const narrate = async (chapters: string, file: string): Promise<Narrated> => {
    const stdout = await katariSucceeds(["narrate", book, "--chapters", chapters, "-o", file, "--json"], place);
    return JSON.parse(stdout) as Narrated;
  };
  const timelineOf = async ({ sha256 }: Narrated): Promise<Timeline> => {
    const path = join(place.data, "store", "objects", "exports", `${sha256}.timeline.json`);
    return JSON.parse(await readFile(path, "utf8")) as Timeline;
  };

  beforeAll(async () => {
    if (bookIsMissing !== undefined) return;
    place = await makePlace();
    listing = JSON.parse(await katariSucceeds(["narrate", book, "--list", "--json"], place)) as Listing;
    first = await narrate("1", "chapter-1.m4b");
  });
  afterAll(async () => {
    await place?.remove();
  });
  beforeEach((context) => {
    if (bookIsMissing !== undefined) context.skip(bookIsMissing);
  });

  describe("as a list", () => {
    it("has twelve chapters and the epilogue, in that shape and no other", () => {
      const { documents, skipped } = listing;
      const titles = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "Epilogue"];
      expect(documents.map(({ title }) => title)).toEqual(titles);
      expect(documents.map(({ index }) => index)).toEqual(titles.map((_, at) => at + 1));
      expect(Object.keys(listing)).toEqual(["documents", "skipped"]);
      for (const each of documents) expect(Object.keys(each)).toEqual(["index", "title", "characters", "segments"]);
      for (const each of skipped) expect(Object.keys(each)).toEqual(["title", "rule", "characters"]);
      for (const { segments } of documents) expect(segments).toBeGreaterThan(0);
    });

    it("says by name and rule what is left out", () => {
      const named = listing.skipped.filter(({ title }) => title !== "");
      expect(named.map(({ title, rule }) => [title, rule])).toEqual([
        ["Titlepage", "titlepage"],
        ["Imprint", "imprint"],
        ["Endnotes", "endnotes"],
        ["Colophon", "colophon"],
        ["Uncopyright", "copyright-page"],
      ]);
      // The book has one note; its number in the text is not read out.
      expect(listing.skipped).toContainEqual({ title: "", rule: "note-reference", characters: 1 });
    });

    it("has every character of the source, as other code counts them", async () => {
      const sum = [...listing.documents, ...listing.skipped].reduce((total, { characters }) => total + characters, 0);
      expect(sum).toBe((await countSource(book)).total);
    });
  });

  describe("chapter 1 as M4B", () => {
    it("has its tags and cover for ffprobe", async () => {
      const probe = await ffprobe(first.output);
      const tags = tagsOf(probe);
      expect(tags).toMatchObject({
        title: "The Time Machine",
        album: "The Time Machine",
        artist: "H. G. Wells",
        genre: "Audiobook",
      });
      // Players look for the narrator among the composers.
      expect(tags["composer"]).toMatch(/Heart/u);
      const covers = probe.streams.filter(({ disposition }) => disposition.attached_pic === 1);
      // The cover of the book is an SVG around a JPEG of 1400 × 2100.
      expect(covers.map(({ codec_name: codec, width }) => [codec, width])).toEqual([["mjpeg", 1400]]);
    });

    it("has its chapter on the very sample of the timeline, and its length", async () => {
      const timeline = await timelineOf(first);
      const probe = await ffprobe(first.output);
      expect(probe.chapters.map(({ tags }) => tags.title)).toEqual(["I"]);
      expect(chapterStarts(probe, timeline.sampleRate)).toEqual(timeline.documents.map((each) => each.startSamples));
      const extra = (await decodedSamples(first.output)) - timeline.lengthSamples;
      expect(extra).toBeGreaterThanOrEqual(0);
      expect(extra).toBeLessThanOrEqual(1023);
      expect(first.lengthMs).toBe(Math.round((timeline.lengthSamples / timeline.sampleRate) * 1000));
    });

    it("has −19 LUFS and no peak above −3 dBTP when it is decoded", async () => {
      const { integratedLufs, truePeakDbtp } = await loudness(first.output);
      expect(Math.abs(integratedLufs + 19)).toBeLessThanOrEqual(0.5);
      expect(truePeakDbtp).toBeLessThanOrEqual(-3);
    });

    it("is an audiobook of that title with that chapter for mediainfo", async () => {
      const { general, menus } = await mediainfo(first.output);
      const [document] = (await timelineOf(first)).documents;
      const startsAt = new Date(((document?.startSamples ?? Number.NaN) / 24_000) * 1000).toISOString().slice(11, 23);
      expect(general).toMatchObject({
        CodecID: "M4B ",
        Title: "The Time Machine",
        Performer: "H. G. Wells",
        Genre: "Audiobook",
        Cover: "Yes",
      });
      // The QuickTime track and the Nero list.
      expect(menus).toEqual([[[startsAt, "I"]], [[startsAt, "I"]]]);
    });

    it("says what the page says: at most 8 % of the words are heard wrong, and no sentence is missing", async () => {
      const reference = join(place.folder, "chapter-1.txt");
      await writeFile(reference, await pageText(book, "chapter-1.xhtml"));
      const { transcript, wordErrorRate } = await transcribe(first.output, reference);
      expect(wordErrorRate).toBeLessThanOrEqual(0.08);
      const heard = join(place.folder, "heard.txt");
      await writeFile(heard, transcript);
      expect(await missingSentences({ epub: book, entry: "chapter-1.xhtml" }, heard)).toEqual([]);
    });
  });

  describe("beside a running studio", () => {
    let studio: Studio;
    let project: ProjectDetail;
    const inferences = async (): Promise<number> => counter(await studio.modelMetrics(), "katari_inference_total");

    beforeAll(async () => {
      if (bookIsMissing !== undefined) return;
      studio = await startStudio(place);
      const [imported] = await studio.api<ProjectSummary[]>("/projects");
      project = await studio.api<ProjectDetail>(`/projects/${imported?.id}`);
    });
    afterAll(async () => {
      await studio?.stop();
    });

    it("narrates chapter 1 again without speech, and replaces its own output", async () => {
      const before = await stat(first.output);
      const again = await narrate("1", "chapter-1.m4b");
      expect(await inferences()).toBe(0);
      expect((await stat(again.output)).ino).not.toBe(before.ino);
      const digest = createHash("sha256")
        .update(await readFile(again.output))
        .digest("hex");
      expect([again.output, again.sha256, digest]).toEqual([first.output, first.sha256, first.sha256]);
    });

    it("adds the epilogue, renders only that, and has both chapters on the samples of the timeline", async () => {
      const takes = (await objects(place, "takes")).length;
      const both = await narrate(`1,${epilogue}`, "both.m4b");
      expect(await inferences()).toBe((await objects(place, "takes")).length - takes);
      const timeline = await timelineOf(both);
      const probe = await ffprobe(both.output);
      expect(probe.chapters.map(({ tags }) => tags.title)).toEqual(["I", "Epilogue"]);
      expect(chapterStarts(probe, timeline.sampleRate)).toEqual(timeline.documents.map((each) => each.startSamples));
      const ids = timeline.documents.flatMap(({ segments }) => segments.map(({ segmentId }) => segmentId));
      expect(new Set(ids).size).toBe(ids.length);
      const counts = project.documents.filter(({ index }) => index === 1 || index === epilogue);
      expect(ids.length).toBe(counts.reduce((sum, { segments }) => sum + segments, 0));
    });

    it.each([
      // Milliseconds are all that ID3 and Vorbis comments have: half of one is 12 samples.
      { format: "mp3", chapterSlack: 12, artist: /H\. G\. Wells/u },
      { format: "flac", chapterSlack: 12, artist: /H\. G\. Wells/u },
      { format: "wav", chapterSlack: 0, artist: /H\. G\. Wells/u },
    ])("writes $format from the same takes, without speech", async ({ format, chapterSlack, artist }) => {
      const before = await inferences();
      const made = await narrate(String(epilogue), `epilogue.${format}`);
      expect(await inferences()).toBe(before);
      const timeline = await timelineOf(made);
      const probe = await ffprobe(made.output);
      const tags = tagsOf(probe);
      expect(tags).toMatchObject({ title: "The Time Machine", album: "The Time Machine", genre: "Audiobook" });
      expect(tags["artist"]).toMatch(artist);
      expect(Object.values(tags).join("\n")).toContain("Heart");
      expect(probe.chapters.map(({ tags: each }) => each.title)).toEqual(["Epilogue"]);
      const [startsAt] = chapterStarts(probe, timeline.sampleRate);
      const slack = Math.abs((startsAt ?? Number.NaN) - (timeline.documents[0]?.startSamples ?? Number.NaN));
      expect(slack).toBeLessThanOrEqual(chapterSlack);
      // MP3 is written at 44.1 kHz, the others at the rate of the voice.
      const rate = format === "mp3" ? 44_100 / timeline.sampleRate : 1;
      expect(Math.abs((await decodedSamples(made.output)) - timeline.lengthSamples * rate)).toBeLessThanOrEqual(1);
      const { integratedLufs, truePeakDbtp } = await loudness(made.output);
      expect(Math.abs(integratedLufs + 19)).toBeLessThanOrEqual(0.5);
      expect(truePeakDbtp).toBeLessThanOrEqual(-3);
    });

    it("says the epilogue: at most 8 % of the words are heard wrong, and no sentence is missing", async () => {
      const reference = join(place.folder, "epilogue.txt");
      await writeFile(reference, await pageText(book, "epilogue.xhtml"));
      const { transcript, wordErrorRate } = await transcribe(join(place.folder, "epilogue.wav"), reference);
      expect(wordErrorRate).toBeLessThanOrEqual(0.08);
      const heard = join(place.folder, "heard.txt");
      await writeFile(heard, transcript);
      expect(await missingSentences({ epub: book, entry: "epilogue.xhtml" }, heard)).toEqual([]);
    });

    it("lacks a sentence in the transcript when that sentence is cut from the audio", async () => {
      const { documents } = await timelineOf(first);
      const timed = documents[0]?.segments ?? [];
      const page = await studio.api<SegmentPage>(
        `/projects/${project.id}/documents/${project.documents[0]?.id}/segments?limit=1000`,
      );
      expect(page.segments.map(({ id }) => id)).toEqual(timed.map(({ segmentId }) => segmentId));
      // From the middle of the chapter: a sentence of eight to twelve words with one stop, whole on either side.
      const at = page.segments.findIndex(
        ({ text }, index) =>
          index > 110 && openingCharacters.test(text) && /^(?:[^.!?… ]+ ){7,11}[^.!?… ]+\.$/u.test(text),
      );
      const window = page.segments.slice(at - 6, at + 7);
      const start = (index: number): number => timed[index]?.startSamples ?? Number.NaN;
      const range = [start(at - 6), start(at + 7)] as const;
      const sentences = join(place.folder, "window.txt");
      await writeFile(sentences, window.map(({ text }) => text).join("\n"));
      const missingIn = async (name: string, without?: readonly [number, number]): Promise<string[]> => {
        const audio = join(place.folder, `${name}.wav`);
        await cutWav(first.output, audio, range, without);
        const heard = join(place.folder, `${name}.heard.txt`);
        await writeFile(heard, (await transcribe(audio)).transcript);
        return missingSentences({ sentences }, heard);
      };
      expect(await missingIn("whole")).toEqual([]);
      expect(await missingIn("cut", [start(at), start(at + 1)])).toEqual([page.segments[at]?.text]);
    });

    it("accounts for every character of the source, file by file, as other code counts them", async () => {
      const completeness = await studio.api<Completeness>(`/projects/${project.id}/completeness`);
      const counted = await countSource(book);
      expect(completeness.files).toEqual(counted.files);
      expect(completeness.failed).toEqual([]);
      const skipped = completeness.skipped.reduce((sum, { characters }) => sum + characters, 0);
      expect(completeness.voiced + completeness.waiting + skipped).toBe(counted.total);
      expect(completeness.characters).toBe(counted.total);
      // What was narrated is chapter 1 and the epilogue.
      const voiced = listing.documents.filter(({ index }) => index === 1 || index === epilogue);
      expect(completeness.voiced).toBe(voiced.reduce((sum, { characters }) => sum + characters, 0));
    });
  });
});

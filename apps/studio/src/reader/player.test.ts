import type { Segment } from "@katari/contracts";
import { describe, expect, it } from "vitest";
import { groupByBlock, nextStep, pauseAfter, previousPlace, spaceBetween } from "./playback.ts";
import { createPlayer } from "./player.ts";
import type { SoundOutput } from "./sound-output.ts";

type State = Segment["state"];
const chapter = (...states: State[]): Segment[] =>
  states.map((state, index) => ({
    id: `s${index}`,
    blockId: `b${index >> 1}`,
    blockKind: "paragraph",
    text: `Sentence ${index}.`,
    state,
    audioMs: 1_500,
  }));

describe("the next step", () => {
  it("passes over what is silent, counts what failed, and waits for what is still to come", () => {
    const states = chapter("silent", "failed", "ready", "waiting", "ready", "unplanned");
    expect(nextStep(states, 0)).toEqual({ kind: "play", index: 2, passedOver: 1 });
    expect(nextStep(states, 3)).toEqual({ kind: "wait", index: 3, passedOver: 0 });
    expect(nextStep(states, 5)).toEqual({ kind: "unplanned", index: 5, passedOver: 0 });
    expect(nextStep(states, 6)).toEqual({ kind: "end", passedOver: 0 });
    expect(nextStep(chapter("failed", "silent"), 0)).toEqual({ kind: "end", passedOver: 1 });
  });

  it("back goes to a sentence with sound, or stays", () => {
    const states = chapter("ready", "silent", "failed", "ready");
    expect(previousPlace(states, 3)).toBe(0);
    expect(previousPlace(states, 0)).toBe(0);
  });
});

describe("the pause after a sentence", () => {
  it("is what its length has over its sound", () => {
    expect(pauseAfter(1_500, 1)).toBe(500);
    expect(pauseAfter(900, 1)).toBe(0);
    expect(pauseAfter(undefined, 1)).toBe(0);
    expect(pauseAfter(1_500, Number.NaN)).toBe(0);
    // A length that is not to be believed does not silence the player for minutes.
    expect(pauseAfter(600_000, 1)).toBe(5_000);
  });
});

describe("passages", () => {
  it("keep every sentence once, in order, with its place", () => {
    const passages = groupByBlock(chapter("ready", "ready", "ready", "ready", "ready"));
    expect(passages.map((one) => one.sentences.map((sentence) => sentence.index))).toEqual([[0, 1], [2, 3], [4]]);
  });
});

describe("the space between sentences", () => {
  it("is as the language is written", () => {
    expect(["en-GB", "ja", "zh-Hant", "jav"].map(spaceBetween)).toEqual([" ", "", "", " "]);
  });
});

/** A sound output whose sounds end when the test says so. */
function manualOutput() {
  const log: string[] = [];
  let current: Parameters<SoundOutput["play"]>[1] | undefined;
  const output: SoundOutput = {
    play: (url, options) => {
      log.push(`play ${url}`);
      current = options;
    },
    prefetch: (url) => log.push(`prefetch ${url}`),
    stop: () => {
      current = undefined;
    },
  };
  return {
    output,
    log,
    end: () => current?.onEnd(),
    fail: () => current?.onFail(),
    sounds: () => current !== undefined,
  };
}

function playerOf(segments: Segment[]) {
  const sound = manualOutput();
  const listened: string[] = [];
  const player = createPlayer({
    sound: sound.output,
    soundUrl: (id) => id,
    listenFrom: (id) => listened.push(id),
  });
  player.update(segments);
  return { player, sound, listened };
}

describe("the player", () => {
  it("plays from a chosen sentence to the end, loading the next one ahead", () => {
    const { player, sound } = playerOf(chapter("ready", "ready", "silent", "ready"));
    player.playFrom(1);
    expect(player.get()).toEqual({ state: "playing", at: 1, passedOver: 0 });
    sound.end();
    expect(player.get().at).toBe(3);
    sound.end();
    expect(player.get()).toEqual({ state: "ended", at: 3, passedOver: 0 });
    expect(sound.log).toEqual(["play s1", "prefetch s3", "play s3"]);
    player.toggle();
    expect(player.get()).toMatchObject({ state: "playing", at: 0 });
  });

  it("waits for a sentence that is not ready, asks for it once, and plays it when it comes", () => {
    const { player, sound, listened } = playerOf(chapter("ready", "waiting", "waiting"));
    player.playFrom(0);
    sound.end();
    expect([player.get().state, listened]).toEqual(["waiting", ["s1"]]);
    player.update(chapter("ready", "waiting", "ready"));
    expect([player.get().state, listened]).toEqual(["waiting", ["s1"]]);
    player.update(chapter("ready", "ready", "ready"));
    expect(player.get()).toMatchObject({ state: "playing", at: 1 });
  });

  it("does not begin by itself after somebody paused", () => {
    const { player, sound } = playerOf(chapter("waiting"));
    player.playFrom(0);
    player.toggle();
    player.update(chapter("ready"));
    expect([player.get().state, sound.sounds()]).toEqual(["paused", false]);
    player.toggle();
    expect(player.get().state).toBe("playing");
  });

  it("passes over a sentence that failed while it waited, and says so", () => {
    const { player } = playerOf(chapter("waiting", "ready"));
    player.playFrom(0);
    player.update(chapter("failed", "ready"));
    expect(player.get()).toEqual({ state: "playing", at: 1, passedOver: 1 });
  });

  it("stops where the narration has not been asked for, and when a sound does not load", () => {
    const { player, sound } = playerOf(chapter("ready", "unplanned"));
    player.playFrom(0);
    sound.end();
    expect(player.get()).toMatchObject({ state: "unplanned", at: 1 });
    player.previous();
    sound.fail();
    expect(player.get()).toMatchObject({ state: "failed", at: 0 });
  });

  it("falls silent when the page goes", () => {
    const { player, sound } = playerOf(chapter("ready"));
    player.playFrom(0);
    player.stop();
    expect([player.get().state, sound.sounds()]).toEqual(["paused", false]);
  });
});

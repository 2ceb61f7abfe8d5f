import type { Voice } from "@katari/contracts";
import { describe, expect, it } from "vitest";
import { remainingMs } from "./remaining-time.ts";
import { sortVoices, voiceName } from "./voices.ts";

describe("remaining time", () => {
  it("follows from the speed so far", () => {
    // 30 sentences in 60 s: 2 s each, and 70 are left.
    expect(remainingMs({ atMs: 0, ready: 0 }, { atMs: 60_000, ready: 30 }, 100)).toBe(140_000);
  });

  it("is not told from too little, nor of what is done", () => {
    expect(remainingMs({ atMs: 0, ready: 0 }, { atMs: 5_000, ready: 30 }, 100)).toBeUndefined();
    expect(remainingMs({ atMs: 0, ready: 0 }, { atMs: 60_000, ready: 2 }, 100)).toBeUndefined();
    expect(remainingMs({ atMs: 0, ready: 0 }, { atMs: 60_000, ready: 100 }, 100)).toBeUndefined();
  });
});

describe("voices", () => {
  const voice = (id: string, language: string, installed: boolean): Voice => ({
    id,
    title: id,
    languages: [language],
    installed,
    licence: "",
  });

  it("of the book's language come first, those that are there before others, otherwise as the server has them", () => {
    const voices = [
      voice("heart", "en-US", true),
      voice("alpha", "ja", false),
      voice("beta", "ja-JP", true),
      voice("emma", "en-GB", true),
    ];
    expect(sortVoices(voices, "ja").map((one) => one.id)).toEqual(["beta", "alpha", "heart", "emma"]);
    expect(voiceName({ title: "Heart (American English)", languages: ["en-US"] }, () => "アメリカ英語")).toBe(
      "Heart · アメリカ英語",
    );
    expect(sortVoices(voices, "en-GB").map((one) => one.id)).toEqual(["heart", "emma", "beta", "alpha"]);
  });
});

import { describe, expect, it } from "vitest";
import { detectLanguage } from "./language.ts";

describe("detectLanguage", () => {
  it.each([
    ["The Time Traveller was expounding a recondite matter to us.", "en"],
    ["Hello", "en"],
    ["", "en"],
    ["123 …", "en"],
    ["メロスは激怒した。", "ja"],
    ["Der Zeitreisende erklärte uns eine verborgene Angelegenheit und lächelte.", "de"],
    ["Le voyageur du temps nous exposait une question obscure et il souriait.", "fr"],
  ])("takes %j for %s", (text, language) => {
    expect(detectLanguage(text)).toBe(language);
  });
});

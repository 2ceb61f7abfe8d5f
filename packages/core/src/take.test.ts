import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { canonicalJson, takeKey, type TakeKeyInput } from "./take.ts";

const input: TakeKeyInput = {
  family: "kokoro",
  familyRevision: 1,
  modelSourceDigest: "m",
  voiceId: "af_heart",
  voiceDigest: "v",
  parameters: { b: 1, a: "x" },
  speed: 1,
  voiceInput: { phonemes: "hˈI." },
  variant: 0,
};
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("canonical JSON", () => {
  it("sorts keys at every depth, keeps the order of arrays and has no white space (RFC 8785)", () => {
    expect(canonicalJson({ b: [2, 1, { z: null, a: "é" }], a: true })).toBe('{"a":true,"b":[2,1,{"a":"é","z":null}]}');
  });

  it("leaves out what is undefined, as JSON does", () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
  });
});

describe("take key", () => {
  it("does not depend on the order in which its input was written", () => {
    const shuffled = Object.fromEntries(Object.entries(input).reverse()) as unknown as TakeKeyInput;
    expect(takeKey(shuffled, sha256)).toBe(takeKey(input, sha256));
  });

  it("changes with everything that decides the sound", () => {
    const changes: Partial<TakeKeyInput>[] = [
      { family: "piper" },
      { familyRevision: 2 },
      { modelSourceDigest: "n" },
      { voiceId: "af_bella" },
      { voiceDigest: "w" },
      { parameters: { b: 2, a: "x" } },
      { speed: 1.1 },
      { voiceInput: { phonemes: "hˈI!" } },
      { variant: 1 },
    ];
    const keys = new Set(
      [input, ...changes.map((change) => ({ ...input, ...change }))].map((each) => takeKey(each, sha256)),
    );
    expect(keys.size).toBe(changes.length + 1);
  });
});

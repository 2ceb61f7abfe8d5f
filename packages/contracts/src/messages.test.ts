import { describe, expect, it } from "vitest";
import { maxMessageBytes, speechTaskSchema, taskMessageSchema, type SpeechTask } from "./messages.ts";

const task: SpeechTask = {
  v: 1,
  kind: "speech",
  taskId: "t",
  attempt: 1,
  projectId: "p",
  conversionId: "c",
  timeoutMs: 60_000,
  takeKey: "k",
  rendering: {
    voiceRef: "af_heart@d",
    family: "kokoro",
    familyRevision: 1,
    modelSourceDigest: "s",
    modelName: "kokoro",
    modelVersion: "1",
    voiceId: "af_heart",
    voiceDigest: "v",
    parameters: {},
    speed: 1,
    variant: 0,
  },
  phonemes: "hˈI.",
  parts: [{ start: 0, end: 4, words: [[0, 3]] }],
  interactive: false,
};

describe("task messages", () => {
  it("ignore fields that a newer writer added", () => {
    expect(taskMessageSchema.parse({ ...task, novelty: true })).toEqual(task);
  });

  it("refuse another version, another kind and a missing field", () => {
    expect(taskMessageSchema.safeParse({ ...task, v: 2 }).success).toBe(false);
    expect(taskMessageSchema.safeParse({ ...task, kind: "song" }).success).toBe(false);
    expect(speechTaskSchema.safeParse({ ...task, takeKey: undefined }).success).toBe(false);
  });

  it("of the longest utterance stay within the limit", () => {
    // 510 symbols of two bytes, each a word of its own: more than any voice takes.
    const words = Array.from({ length: 510 }, (_, at): [number, number] => [at, at + 1]);
    const longest = { ...task, phonemes: "ə".repeat(510), parts: [{ start: 0, end: 510, words }] };
    expect(Buffer.byteLength(JSON.stringify(longest))).toBeLessThan(maxMessageBytes);
  });
});

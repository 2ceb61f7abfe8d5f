import { describe, expect, it } from "vitest";
import { answerError, transportError } from "./kserve-errors.ts";

const body = (json: object): Buffer => Buffer.from(JSON.stringify(json));

describe("what a KServe server's refusal means", () => {
  it("goes by the status where the server says nothing more, as Triton and others do", () => {
    const table: [number, string, boolean, boolean][] = [
      // status, code, retryable, may have run
      [400, "invalid-argument", false, false],
      [404, "model-unavailable", true, false],
      [413, "too-large", false, false],
      [429, "unavailable", true, false],
      [500, "model-failed", true, true],
      [501, "model-failed", false, true],
      [502, "unavailable", true, true],
      [503, "unavailable", true, false],
      [504, "timeout", true, true],
    ];
    for (const [status, code, retryable, mayHaveRun] of table)
      expect(answerError(status, body({ error: "no" }), "tts 1")).toMatchObject({ code, retryable, mayHaveRun });
  });

  it("goes by Katari's own facts where they are sent", () => {
    const said = body({ error: "expired", code: "timeout", retryable: true, may_have_run: false });
    expect(answerError(504, said, "tts 1")).toMatchObject({ code: "timeout", mayHaveRun: false, message: "expired" });
  });

  it("does not stumble over bodies that are no JSON, or codes that it does not know", () => {
    expect(answerError(503, Buffer.from("<html>"), "tts 1")).toMatchObject({ code: "unavailable" });
    expect(answerError(400, body({ error: "x", code: "new-code" }), "tts 1")).toMatchObject({
      code: "invalid-argument",
    });
  });
});

describe("what a failed connection means", () => {
  const base = new URL("http://127.0.0.1:8000");
  const systemError = (code: string): Error => Object.assign(new Error(code), { code });

  it("tells a request that was never sent from one that may have run", () => {
    const facts = { base, cancelled: false, expired: false };
    expect(transportError(systemError("ECONNREFUSED"), facts)).toMatchObject({
      code: "unavailable",
      mayHaveRun: false,
    });
    expect(transportError(systemError("ECONNRESET"), facts)).toMatchObject({ code: "unavailable", mayHaveRun: true });
  });

  it("tells the caller's cancel from the deadline", () => {
    const error = new Error("aborted");
    expect(transportError(error, { base, cancelled: true, expired: false }).code).toBe("cancelled");
    expect(transportError(error, { base, cancelled: false, expired: true }).code).toBe("timeout");
  });
});

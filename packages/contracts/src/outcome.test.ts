import { AppError } from "@katari/core";
import { describe, expect, it } from "vitest";
import { outcomeSchema } from "./messages.ts";
import { outcomeOf } from "./outcome.ts";

describe("outcomeOf", () => {
  it("tries again what may succeed by itself", () => {
    const outcome = outcomeOf(new AppError("unavailable", "The server is away.", { retryable: true }));
    expect(outcome).toMatchObject({ kind: "retry", code: "unavailable", reason: "The server is away." });
    expect(outcomeSchema.safeParse(outcome).success).toBe(true);
  });

  it("fails at once with the cure what a person has to change", () => {
    const outcome = outcomeOf(new AppError("disk-full", "The disk is full.", { cure: "Free some space." }));
    expect(outcome).toEqual({
      kind: "failed",
      code: "disk-full",
      message: "The disk is full.",
      cure: "Free some space.",
    });
    expect(outcomeOf(new AppError("internal", "Broken."))).toEqual({
      kind: "failed",
      code: "internal",
      message: "Broken.",
    });
  });

  it("says cancelled for what was cancelled", () => {
    expect(outcomeOf(new AppError("cancelled", "Stop."))).toEqual({ kind: "cancelled" });
  });
});

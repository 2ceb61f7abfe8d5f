import { describe, expect, it } from "vitest";
import { AppError } from "./errors.ts";

describe("AppError.from", () => {
  it("keeps an AppError as it is", () => {
    const error = new AppError("conflict", "No.");
    expect(AppError.from(error)).toBe(error);
  });

  it.each([
    ["ENOSPC", "disk-full"],
    ["EDQUOT", "disk-full"],
    ["EACCES", "no-permission"],
    ["EROFS", "no-permission"],
    ["ENOENT", "not-found"],
    ["EADDRINUSE", "port-taken"],
  ])("knows %s as %s, with a cure", (code, expected) => {
    const error = AppError.from(Object.assign(new Error("x"), { code, path: "/a" }));
    expect(error.code).toBe(expected);
    expect(error.cure).toBeTruthy();
  });

  it("takes an abort for cancelled, and anything else for internal without telling its text", () => {
    expect(AppError.from(new DOMException("x", "AbortError")).code).toBe("cancelled");
    const unknown = AppError.from("secret password");
    expect(unknown.code).toBe("internal");
    expect(unknown.message).not.toContain("secret");
    expect(unknown.cause).toBe("secret password");
  });
});

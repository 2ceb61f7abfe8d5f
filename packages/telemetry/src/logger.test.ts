import { describe, expect, it } from "vitest";
import { createLogger } from "./logger.ts";

function collect() {
  const lines: string[] = [];
  return { lines, destination: { write: (line: string) => void lines.push(line) } };
}

describe("createLogger", () => {
  it("hides secrets at the top and inside objects", () => {
    const { lines, destination } = collect();
    const logger = createLogger({ level: "info", destination, name: "server" });
    logger.info({ token: "t0p", req: { headers: { authorization: "Bearer s3cret", host: "localhost" } } }, "request");
    const line = lines.join("");
    expect(line).not.toContain("t0p");
    expect(line).not.toContain("s3cret");
    expect(line).toContain("localhost");
  });

  it("hides a token in a logged URL", () => {
    const { lines, destination } = collect();
    createLogger({ level: "info", destination, name: "server" }).info({ url: "/open?token=abc123&lang=en" }, "request");
    expect(lines.join("")).toContain("/open?token=[hidden]&lang=en");
  });

  it("hides text of the book", () => {
    const { lines, destination } = collect();
    const logger = createLogger({ level: "info", destination, name: "worker" });
    logger.info({ segment: { id: "s1", text: "It was a dark night." }, phonemes: "ɪt wʌz" }, "done");
    const line = lines.join("");
    expect(line).not.toContain("dark night");
    expect(line).not.toContain("wʌz");
    expect(line).toContain("s1");
  });

  it("writes nothing below its level", () => {
    const { lines, destination } = collect();
    createLogger({ level: "warn", destination, name: "cli" }).info("hello");
    expect(lines).toEqual([]);
  });
});

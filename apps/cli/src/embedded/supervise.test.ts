import { AppError } from "@katari/core";
import { createLogger } from "@katari/telemetry";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { supervise, type Supervised } from "./supervise.ts";

const logger = createLogger({ name: "test", level: "error" });

describe("a supervised process", () => {
  let supervised: Supervised | undefined;
  afterEach(() => supervised?.stop());

  /** A process that waits until it is ended. */
  const spawnChild = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    await once(child, "spawn");
    return child;
  };

  it("is started again when it died, also when a start in between failed before there was a process", async () => {
    const children: ChildProcess[] = [];
    let starts = 0;
    let again: (() => void) | undefined;
    const backAgain = new Promise<void>((resolve) => {
      again = resolve;
    });
    supervised = await supervise({
      name: "child",
      logger,
      async start() {
        starts++;
        if (starts === 2) throw new AppError("unavailable", "Not now.");
        const child = await spawnChild();
        children.push(child);
        if (children.length === 2) again?.();
        return child;
      },
      ready: async () => undefined,
    });
    children[0]?.kill("SIGKILL");
    await backAgain;
    expect(starts).toBe(3);
  });

  it("is not started again when its very first start failed", async () => {
    let starts = 0;
    const work = supervise({
      name: "child",
      logger,
      async start() {
        starts++;
        throw new AppError("voice-damaged", "No.");
      },
      ready: async () => undefined,
    });
    await expect(work).rejects.toMatchObject({ code: "voice-damaged" });
    expect(starts).toBe(1);
  });
});

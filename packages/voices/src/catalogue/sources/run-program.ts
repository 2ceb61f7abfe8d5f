import { AppError } from "@katari/core";
import { spawn } from "node:child_process";
import type { Environment } from "../cache-folder.ts";

/** What a program said, for the message when it fails. */
const keptOutputCharacters = 4_000;

/**
 * Runs a program to its end. Throws `unsupported-platform` when there is no such program, `voice-unavailable` with the
 * last line that it wrote when it fails, and the signal's reason when stopped (the program is ended).
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: { readonly environment: Environment; readonly folder: string; readonly signal?: AbortSignal },
): Promise<void> {
  options.signal?.throwIfAborted();
  const child = spawn(program, args, {
    cwd: options.folder,
    env: options.environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-keptOutputCharacters);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const stop = (): void => void child.kill("SIGTERM");
  options.signal?.addEventListener("abort", stop, { once: true });
  try {
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    options.signal?.throwIfAborted();
    if (status !== 0) throw new AppError("voice-unavailable", `${program} failed: ${telling(output)}`);
  } catch (error) {
    if (error instanceof Error && (error as { code?: string }).code === "ENOENT")
      throw new AppError("unsupported-platform", `${program} is not installed`, { cause: error });
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", stop);
  }
}

/** The line of a program's output that says most: the last one with "error" in it, else the last one. */
function telling(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return (
    lines.findLast((line) => /error/iu.test(line) && !/complete log|npm-debug/iu.test(line)) ??
    lines.at(-1) ??
    "no message"
  );
}

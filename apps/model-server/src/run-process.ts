import { AppError } from "@katari/core";
import { createLogger } from "@katari/telemetry";
import { readConfiguration } from "./configuration.ts";
import { createModelServer } from "./model-server.ts";

/** What a process gives to the server that it is to become. */
export interface ProcessParts {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The model server as a process of its own. Prints one line of JSON on standard output when it listens and its models
 * answer: `{"ready":true,"url":…}`, or `{"ready":false,"error":{"code","message","cure"}}`; logs go to standard error.
 * SIGTERM and SIGINT drain (accepted requests end, a second signal ends at once). With `--exit-with-parent` SIGINT is
 * left to the parent, and the process also ends, without draining, when its standard input or IPC channel closes. Resolves with the exit code.
 */
export async function runModelServerProcess({ argv, env }: ProcessParts): Promise<number> {
  try {
    const { server: options, exitWithParent, logLevel } = await readConfiguration(argv, env);
    // A parent that goes while models are still loading is waited for by nobody.
    if (exitWithParent) watchParent(() => process.exit(0));
    const server = await createModelServer({
      ...options,
      logger: createLogger({ name: "model-server", level: logLevel }),
    });
    process.stdout.write(`${JSON.stringify({ ready: true, url: server.url })}\n`);
    await askedToEnd(exitWithParent ? ["SIGTERM"] : ["SIGTERM", "SIGINT"]);
    await server.close();
    return 0;
  } catch (error) {
    const { code, message, cure } = AppError.from(error);
    process.stdout.write(`${JSON.stringify({ ready: false, error: { code, message, cure } })}\n`);
    return 1;
  }
}

/** Resolves with the first of the signals; a second one ends the process at once. */
async function askedToEnd(signals: readonly NodeJS.Signals[]): Promise<void> {
  // A terminal's Ctrl-C reaches the whole process group; where a parent decides, it does so by SIGTERM.
  if (!signals.includes("SIGINT")) process.on("SIGINT", () => undefined);

  await new Promise<void>((resolve) => {
    let asked = false;
    const onSignal = (): void => {
      if (asked) process.exit(1);
      asked = true;
      resolve();
    };
    for (const signal of signals) process.on(signal, onSignal);
  });
}

/** Children end by themselves when this process does: their socket closes. */
function watchParent(onGone: () => void): void {
  if (process.connected) process.on("disconnect", onGone);
  process.stdin.on("end", onGone);
  process.stdin.on("close", onGone);
  process.stdin.on("error", onGone);
  process.stdin.resume();
}

#!/usr/bin/env node
import { AppError } from "@katari/core";
import { createProgram } from "./program.ts";
import { reportError } from "./output/report-error.ts";

/** Composition root of the command line: signals, the program, and one place that turns errors into exit codes. */
const interrupt = new AbortController();
let interrupts = 0;
const onSignal = (signal: NodeJS.Signals): void => {
  interrupts++;
  // The first Ctrl-C stops cleanly; somebody who presses it twice more means it.
  if (interrupts >= 3) process.exit(130);
  if (interrupts === 1) process.stderr.write("\nStopping …\n");
  interrupt.abort(new DOMException(`Stopped by ${signal}.`, "AbortError"));
};
const stoppedByPerson = new AppError("cancelled", "Stopped.", {
  cure: "Run the same command again: it goes on where it was.",
});
process.on("SIGINT", onSignal);
process.on("SIGTERM", onSignal);
// The terminal was closed. What is written to it from now on fails, which must not end the clean stop.
process.on("SIGHUP", onSignal);
process.stderr.on("error", () => undefined);
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of a pipe went away (`| head`): there is nobody left to write for.
  if (error.code === "EPIPE" && interrupts === 0) process.exit(0);
});

try {
  await createProgram({ environment: process.env, signal: interrupt.signal }).parseAsync(process.argv);
} catch (error) {
  // However deep the work was stopped: to the person who stopped it, that is all there is to say.
  const stopped = interrupts > 0 && AppError.from(error).code === "cancelled";
  process.exitCode = reportError(stopped ? stoppedByPerson : error, {
    json: process.argv.includes("--json"),
    environment: process.env,
  });
}

import { AppError } from "@katari/core";
import { logLevels, type LogLevel } from "@katari/telemetry";

/**
 * Log level of KATARI_LOG, else that of the command: a narration tells its outcome itself and logs only what nobody
 * foresaw, a studio also what it got over. Throws AppError `invalid-argument`.
 */
export function logLevel(
  environment: Readonly<Record<string, string | undefined>>,
  command: "narrate" | "serve",
): LogLevel {
  const wanted = environment["KATARI_LOG"];
  if (wanted === undefined || wanted === "") return command === "narrate" ? "error" : "warn";
  const known = logLevels.find((level) => level === wanted);
  if (known === undefined)
    throw new AppError("invalid-argument", `KATARI_LOG is "${wanted}", which is no log level.`, {
      cure: `Choose one of ${logLevels.join(", ")}.`,
    });
  return known;
}

import { AppError } from "@katari/core";
import { logLevels, type LogLevel } from "@katari/telemetry";

/** Log level of KATARI_LOG; `warn` without it: a person at a terminal wants results. */
export function logLevel(environment: Readonly<Record<string, string | undefined>>): LogLevel {
  const wanted = environment["KATARI_LOG"];
  if (wanted === undefined || wanted === "") return "warn";
  const known = logLevels.find((level) => level === wanted);
  if (known === undefined)
    throw new AppError("invalid-argument", `KATARI_LOG is "${wanted}", which is no log level.`, {
      cure: `Choose one of ${logLevels.join(", ")}.`,
    });
  return known;
}

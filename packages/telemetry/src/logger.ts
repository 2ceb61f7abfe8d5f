import { pino, type DestinationStream, type Logger } from "pino";

export type { Logger } from "pino";

export const logLevels = ["silent", "fatal", "error", "warn", "info", "debug", "trace"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LoggerOptions {
  /** Least level that is written. */
  readonly level: LogLevel;
  /** Where lines of JSON go; standard error when absent, since standard output belongs to results. */
  readonly destination?: DestinationStream;
  /** Which program speaks: `server`, `worker`, `model-server`, `cli`. */
  readonly name: string;
}

/** Field names whose values are secrets, whatever object they stand in. */
const secrets = [
  "authorization",
  "cookie",
  "set-cookie",
  "password",
  "secret",
  "token",
  "accessToken",
  "apiKey",
  "signature",
] as const;

/**
 * Field names that hold words of a person's book. Logs name segments, tasks and counts, never their text: a log file is
 * sent around when something breaks, and the book is not ours to send.
 */
const bookText = ["text", "spoken", "phonemes", "title", "fileName"] as const;

/** pino takes no "at any depth": fields at the top, one and two levels down cover requests, errors and messages. */
const paths = [...secrets, ...bookText].flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]);

/** Query parameters that carry a secret, inside a logged URL. */
const secretQuery = /([?&](?:token|key|signature|password|secret)=)[^&\s"]*/giu;

/**
 * A logger that writes one JSON object a line. Values of secret fields and of fields with book text are replaced by
 * `[hidden]`; tokens in logged URLs too. Whoever writes a message puts facts into fields, never text of the book into it.
 */
export function createLogger(options: LoggerOptions): Logger {
  return pino(
    {
      name: options.name,
      level: options.level,
      redact: { paths, censor: "[hidden]" },
      hooks: { streamWrite: (line) => line.replaceAll(secretQuery, "$1[hidden]") },
    },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
}

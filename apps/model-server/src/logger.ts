/** What the model server logs through; pino's logger fits. */
export interface Logger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** For tests and for callers who log elsewhere. */
export const silentLogger: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What an installation is doing. Bytes are counted while downloading; elsewhere both are 0. */
export interface VoiceProgress {
  readonly phase: "download" | "unpack" | "rewrite" | "compare" | "install";
  /** For people: "the model", "the speaker files". */
  readonly item: string;
  readonly doneBytes: number;
  readonly totalBytes: number;
}

export type OnVoiceProgress = (progress: VoiceProgress) => void;

/** Takes a structured log line; a pino logger fits. */
export interface VoiceLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

import type { ExportFormat } from "@katari/contracts";

const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  m4b: "audio/mp4",
  mp3: "audio/mpeg",
  flac: "audio/flac",
  wav: "audio/wav",
};

export const mediaTypeOf = (format: ExportFormat): string => mediaTypes[format];

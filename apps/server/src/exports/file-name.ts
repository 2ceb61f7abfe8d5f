import type { ExportFormat } from "@katari/contracts";

const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  m4b: "audio/mp4",
  mp3: "audio/mpeg",
  flac: "audio/flac",
  wav: "audio/wav",
};

export const mediaTypeOf = (format: ExportFormat): string => mediaTypes[format];

const longestName = 120;

/** A file name that every system takes, out of a title: no separators, control characters or trailing dots. */
export function exportFileName(title: string, format: ExportFormat): string {
  const name = title
    .replaceAll(/[\p{Cc}\p{Cf}<>:"/\\|?*]+/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  const short = Array.from(name)
    .slice(0, longestName)
    .join("")
    .replace(/[. ]+$/u, "");
  const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/iu.test(short);
  return `${short === "" || reserved ? `audiobook ${short}`.trim() : short}.${format}`;
}

/** What a `Range` header asks of a file of `sizeBytes`: `[start, end)`, the whole file, or something outside it. */
export type RangeAnswer = readonly [start: number, end: number] | "whole" | "unsatisfiable";

/**
 * Reads a `Range` header (RFC 9110, section 14). A server may ignore a range, and does so for what it cannot parse,
 * for other units than bytes, and for several ranges at once: the answer is then the whole file.
 */
export function parseRange(header: string | undefined, sizeBytes: number): RangeAnswer {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  if (!match) return "whole";
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return "whole";
  if (first === "") {
    const suffix = Number(last);
    if (suffix === 0 || sizeBytes === 0) return "unsatisfiable";
    return [Math.max(0, sizeBytes - suffix), sizeBytes];
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return "whole";
  if (start >= sizeBytes) return "unsatisfiable";
  return [start, last === "" ? sizeBytes : Math.min(sizeBytes, Number(last) + 1)];
}

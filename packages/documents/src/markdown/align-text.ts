import { decodeEntity } from "../decode-entity.ts";

/** A stretch of Markdown source that stands for text: as it is, or spelled as a character reference. */
export type AlignedRun =
  | { readonly kind: "same"; readonly start: number; readonly end: number }
  | { readonly kind: "spelled"; readonly start: number; readonly end: number; readonly text: string };

/**
 * Finds the source behind the text of a Markdown node. `source` is `[start, end)` of the file; what stands between the
 * runs is markup (backslashes, quotation marks of continued lines, fences).
 */
export function alignText(source: string, start: number, end: number, value: string): AlignedRun[] {
  const runs: AlignedRun[] = [];
  let at = start;
  let index = 0;
  let runStart: number | undefined;
  const endRun = (): void => {
    if (runStart !== undefined && at > runStart) runs.push({ kind: "same", start: runStart, end: at });
    runStart = undefined;
  };
  while (index < value.length && at < end) {
    const wanted = value[index] ?? "";
    if (source[at] === wanted) {
      runStart ??= at;
      at++;
      index++;
      continue;
    }
    endRun();
    if (/\s/u.test(wanted)) {
      index++;
      continue;
    }
    const reference =
      source[at] === "&" ? /^&(?:#\d+|#[xX][\dA-Fa-f]+|[A-Za-z][A-Za-z0-9]*);/u.exec(source.slice(at, at + 40)) : null;
    const decoded = reference ? decodedAt(reference[0], value, index) : undefined;
    if (reference && decoded !== undefined) {
      runs.push({ kind: "spelled", start: at, end: at + reference[0].length, text: decoded });
      at += reference[0].length;
      index += decoded.length;
    } else if (source[at] === "\0" && wanted === "\uFFFD") {
      runs.push({ kind: "spelled", start: at, end: at + 1, text: wanted });
      at++;
      index++;
    } else at++;
  }
  endRun();
  return runs;
}

function decodedAt(reference: string, value: string, index: number): string | undefined {
  const next = String.fromCodePoint(value.codePointAt(index) ?? 0);
  if (reference.startsWith("&#")) return next;
  const decoded = decodeEntity(reference);
  return decoded !== undefined && value.startsWith(decoded, index) ? decoded : undefined;
}

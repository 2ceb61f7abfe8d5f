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
    const reference = source[at] === "&" ? referenceAt(source, at, value, index) : undefined;
    if (reference) {
      endRun();
      runs.push({ kind: "spelled", start: at, end: at + reference.length, text: reference.text });
      at += reference.length;
      index += reference.text.length;
    } else if (source[at] === wanted || (isSpace(source[at]) && isSpace(wanted))) {
      runStart ??= at;
      at++;
      index++;
    } else {
      endRun();
      if (source[at] === "\0" && wanted === "\uFFFD") {
        runs.push({ kind: "spelled", start: at, end: at + 1, text: wanted });
        index++;
      }
      at++;
    }
  }
  endRun();
  return runs;
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/u.test(character);
}

/** The character reference at a place of the source, unless the value has it as it is written there. */
function referenceAt(
  source: string,
  at: number,
  value: string,
  index: number,
): { readonly length: number; readonly text: string } | undefined {
  const written = /^&(?:#\d+|#[xX][\dA-Fa-f]+|[A-Za-z][A-Za-z0-9]*);/u.exec(source.slice(at, at + 40))?.[0];
  if (written === undefined || value.startsWith(written, index)) return undefined;
  if (written.startsWith("&#")) {
    return { length: written.length, text: String.fromCodePoint(value.codePointAt(index) ?? 0xfffd) };
  }
  const decoded = decodeEntity(written);
  if (decoded === undefined || !value.startsWith(decoded, index)) return undefined;
  return { length: written.length, text: decoded };
}

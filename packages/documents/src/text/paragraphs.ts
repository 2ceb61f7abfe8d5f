import { linesOf, type Line } from "./lines.ts";

/** A paragraph as the lines that it was written in. Verse keeps its lines. */
export interface Paragraph {
  readonly lines: readonly Line[];
  readonly verse: boolean;
}

/**
 * Finds the paragraphs of plain text. Lines that were broken at a margin are one paragraph up to an empty line (or an
 * indented one, or a short last line, where no empty lines are used); where lines are as long as paragraphs, as in Japanese e-texts, each line
 * is one.
 */
export function findParagraphs(text: string, from: number, to: number): Paragraph[] {
  const lines = linesOf(text, from, to);
  const filled = lines.filter((line) => !isBlank(text, line));
  const lengths = filled.map(({ start, end }) => end - start).sort((a, b) => a - b);
  const longest = lengths[Math.floor(lengths.length * 0.98)] ?? 0;
  const sample = text.slice(from, Math.min(to, from + 50_000));
  const wide = (sample.match(/[\u3040-\u30FF\u4E00-\u9FFF]/gu) ?? []).length > sample.length * 0.3;
  const wrapped = !wide && longest <= 100;
  if (!wrapped) return filled.map((line) => ({ lines: [line], verse: false }));
  const gaps = lines.some((line, index) => index > 0 && index < lines.length - 1 && isBlank(text, line));
  const indents = !gaps && filled.some(({ start }) => indent.test(text.slice(start, start + 2)));
  const paragraphs: Paragraph[] = [];
  let open: Line[] = [];
  const close = (): void => {
    if (open.length > 0) paragraphs.push({ lines: open, verse: isVerse(text, open, longest) });
    open = [];
  };
  for (const line of lines) {
    if (isBlank(text, line)) close();
    else {
      if (indents && indent.test(text.slice(line.start, line.start + 2))) close();
      open.push(line);
      // Without empty lines and indents, only a line that ends early with a full stop shows the end.
      if (!gaps && !indents && endsEarly(text, line, longest)) close();
    }
  }
  close();
  return paragraphs;
}

const indent = /^(?:\t| {2}|\u3000)/u;

function endsEarly(text: string, line: Line, margin: number): boolean {
  return (
    line.end - line.start < margin * 0.75 && /[.!?…:][\p{Pe}\p{Pf}"']*\s*$/u.test(text.slice(line.start, line.end))
  );
}

function isBlank(text: string, line: Line): boolean {
  return text.slice(line.start, line.end).trim() === "";
}

/** Several lines, all well short of the margin and each beginning with a capital or indented, are verse. */
function isVerse(text: string, lines: readonly Line[], margin: number): boolean {
  if (lines.length < 2) return false;
  return lines.every(({ start, end }) => {
    const line = text.slice(start, end);
    return line.trimEnd().length < Math.max(20, margin * 0.8) && /^\s{2,}|^\s*[\p{P}]*\p{Lu}/u.test(line);
  });
}

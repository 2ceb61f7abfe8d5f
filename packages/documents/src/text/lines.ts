/** A line without its end, as offsets. */
export interface Line {
  readonly start: number;
  readonly end: number;
}

/** The lines of `[from, to)`; line ends of every system (`\n`, `\r\n`, `\r`) and form feeds part them. */
export function linesOf(text: string, from: number, to: number): Line[] {
  const lines: Line[] = [];
  let start = from;
  for (const match of text.slice(from, to).matchAll(/\r\n|\n|\r|\f/gu)) {
    lines.push({ start, end: from + match.index });
    start = from + match.index + match[0].length;
  }
  lines.push({ start, end: to });
  return lines;
}

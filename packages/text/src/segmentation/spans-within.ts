import type { InlineSpan } from "@katari/core";

/** The spans that touch a range of a block's text, cut to it and moved to its start. */
export function spansWithin(spans: readonly InlineSpan[], start: number, end: number): InlineSpan[] {
  const within: InlineSpan[] = [];
  for (const span of spans) {
    const from = Math.max(span.start, start);
    const to = Math.min(span.end, end);
    if (from < to) within.push({ ...span, start: from - start, end: to - start });
  }
  return within;
}

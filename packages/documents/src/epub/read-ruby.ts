import { textOf, type MarkupElement, type MarkupNode } from "../markup-tree.ts";

/** One stretch of base text with the reading that stands over it. */
export interface RubyPair {
  readonly base: readonly MarkupNode[];
  reading: string;
}

/**
 * Pairs the bases of a `ruby` element with its readings: `漢<rt>かん</rt>字<rt>じ</rt>` one by one,
 * `<rb>漢</rb><rb>字</rb><rt>かん</rt><rt>じ</rt>` in order. Source: HTML Ruby Markup Extensions.
 */
export function pairRuby(ruby: MarkupElement): RubyPair[] {
  const pairs: RubyPair[] = [];
  let waiting: MarkupNode[][] = [];
  let run: MarkupNode[] = [];
  const endRun = (): void => {
    if (run.some((node) => textOf(node).trim() !== "")) waiting.push(run);
    run = [];
  };
  const read = (reading: string): void => {
    endRun();
    const base = waiting.shift();
    const last = pairs[pairs.length - 1];
    if (base) pairs.push({ base, reading });
    else if (last) last.reading += reading;
  };
  for (const child of ruby.children) {
    if (child.kind === "text" || !["rt", "rp", "rtc", "rb"].includes(child.name)) run.push(child);
    else if (child.name === "rb") {
      endRun();
      run = [child];
      endRun();
    } else if (child.name === "rt") read(textOf(child));
    else if (child.name === "rtc") {
      const inner = child.children.filter(
        (node): node is MarkupElement => node.kind === "element" && node.name === "rt",
      );
      for (const reading of inner) read(textOf(reading));
      if (inner.length === 0) read(textOf(child));
    }
  }
  endRun();
  for (const base of waiting) pairs.push({ base, reading: "" });
  waiting = [];
  return pairs;
}

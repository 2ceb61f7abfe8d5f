import { countCharacters, type SourceBlock } from "@katari/core";
import type { FileLedger } from "../file-ledger.ts";
import { titleRule } from "../part-titles.ts";

/** A link to a place in the book, as range of the page's text. */
export interface LinkRange {
  readonly start: number;
  readonly end: number;
}

/** Lines of links that stand together before they are taken for a list of contents. */
const leastLines = 4;

interface Listed {
  readonly blocks: readonly SourceBlock[];
  readonly idBlocks: ReadonlyMap<string, number>;
}

/**
 * Leaves out lists of contents inside a page, with their heading: four or more blocks on end that are each a link into
 * the book, or a row of a table with one. `links` are in order.
 */
export function dropLinkLists(ledger: FileLedger, listed: Listed, links: readonly LinkRange[]): Listed {
  const { blocks, idBlocks } = listed;
  const dropped = new Set<number>();
  let next = 0;
  let runStart = 0;
  for (let index = 0; index <= blocks.length; index++) {
    const block = blocks[index];
    const end = block?.range.end ?? 0;
    let linked = 0;
    for (let link = links[next]; link && link.start < end; link = links[++next]) {
      if (block && link.end > block.range.start) linked += countCharacters(ledger.text.slice(link.start, link.end));
    }
    const isLine =
      block !== undefined &&
      linked > 0 &&
      (block.kind === "table-row" ||
        linked >= 0.6 * countCharacters(ledger.text.slice(block.range.start, block.range.end)));
    if (isLine) continue;
    if (index - runStart >= leastLines) {
      const heading = blocks[runStart - 1];
      const from = heading?.kind === "heading" && titleRule(heading.text) === "toc" ? runStart - 1 : runStart;
      leaveOut(ledger, blocks, from, index);
      for (let line = from; line < index; line++) dropped.add(line);
    }
    runStart = index + 1;
  }
  if (dropped.size === 0) return listed;
  const places: number[] = [];
  let kept = 0;
  for (const index of blocks.keys()) {
    places.push(kept);
    if (!dropped.has(index)) kept++;
  }
  return {
    blocks: blocks.filter((_, index) => !dropped.has(index)),
    idBlocks: new Map([...idBlocks].map(([id, index]) => [id, places[index] ?? kept])),
  };
}

function leaveOut(ledger: FileLedger, blocks: readonly SourceBlock[], from: number, to: number): void {
  const start = blocks[from]?.range.start ?? 0;
  const end = blocks[to - 1]?.range.end ?? start;
  ledger.withdraw(start, end);
  ledger.skip("toc", start, end);
}

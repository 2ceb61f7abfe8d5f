import { countCharacters } from "@katari/core";
import { titleRule } from "../part-titles.ts";
import { blocksOf, headingTitle, type Part } from "./divide-parts.ts";
import { partRule } from "./element-rules.ts";

/** What a part is judged by beside itself. */
export interface PartEvidence {
  readonly bookTitle: string;
  readonly navigationPath: string | undefined;
  /** Semantic tokens of landmarks and guide for whole pages. */
  readonly pageTypes: ReadonlyMap<string, readonly string[]>;
  /** Whether a part that is narrated has come before. */
  readonly begun: boolean;
  /** Whether any listed part is still to come. */
  readonly chaptersFollow: boolean;
}

/** The rule by which a whole part is not narrated, or undefined when it is. */
export function ruleOfPart(part: Part, evidence: PartEvidence): string | undefined {
  const first = part.stretches[0];
  if (!first) return undefined;
  const { page } = first;
  const wholePage = part.stretches.every(({ from, to, page }) => from === 0 && to === page.body.blocks.length);
  if (wholePage) {
    if (page.path === evidence.navigationPath) return "toc";
    if (!page.linear && !part.listed) return "non-linear";
    const byType = partRule(evidence.pageTypes.get(page.path) ?? []);
    if (byType !== undefined) return byType;
    if (page.body.linkShare > 0.7 && page.body.links >= 4) return "toc";
  }
  const blocks = blocksOf(part);
  const byTitle = titleRule(part.title ?? headingTitle(blocks) ?? "");
  if (byTitle !== undefined) return byTitle;
  const text = blocks.map((block) => block.text).join(" ");
  const characters = countCharacters(text);
  const before = !evidence.begun && evidence.chaptersFollow;
  const bookTitle = fold(evidence.bookTitle);
  const named = part.title === undefined || fold(part.title) === bookTitle;
  if (before && named && bookTitle !== "" && characters < 300 && fold(text).includes(bookTitle)) return "titlepage";
  if (part.listed || (evidence.begun && evidence.chaptersFollow)) return undefined;
  return characters < 6_000 && /©|\ball rights reserved\b|\bISBN\b/iu.test(text) ? "copyright-page" : undefined;
}

function fold(text: string): string {
  return text.toLowerCase().replace(/\s+/gu, " ").trim();
}

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
  const edge = !evidence.begun || !evidence.chaptersFollow;
  if (part.listed || !edge) return undefined;
  if (/©|\ball rights reserved\b|\bISBN\b/iu.test(text) && countCharacters(text) < 6_000) return "copyright-page";
  const title = evidence.bookTitle.toLowerCase();
  if (evidence.begun || !evidence.chaptersFollow || title === "") return undefined;
  return countCharacters(text) < 300 && text.toLowerCase().includes(title) ? "titlepage" : undefined;
}

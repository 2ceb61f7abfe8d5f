import type { DocumentSummary } from "@katari/contracts";
import { AppError } from "@katari/core";

/** Parses `1,3-5` into chapter numbers in rising order, each once. Throws AppError `invalid-argument`. */
export function parseChapters(text: string): number[] {
  const chosen = new Set<number>();
  for (const piece of text.split(",").map((part) => part.trim())) {
    const match = /^(\d{1,5})(?:\s*-\s*(\d{1,5}))?$/.exec(piece);
    const first = Number(match?.[1]);
    const last = Number(match?.[2] ?? match?.[1]);
    if (match === null || first < 1 || last < first)
      throw new AppError("invalid-argument", `"${text}" is not a list of chapters.`, {
        cure: "Write numbers and ranges, such as --chapters 1,3-5; --list shows the numbers.",
      });
    for (let chapter = first; chapter <= last; chapter++) chosen.add(chapter);
  }
  return [...chosen].sort((a, b) => a - b);
}

/** The documents of the chosen chapters (all without a choice). Throws AppError `invalid-argument` for one that is not there. */
export function chooseDocuments(
  documents: readonly DocumentSummary[],
  chapters: string | undefined,
): DocumentSummary[] {
  if (chapters === undefined) return [...documents];
  return parseChapters(chapters).map((number) => {
    const document = documents[number - 1];
    if (document === undefined)
      throw new AppError("invalid-argument", `There is no chapter ${number}: the source has ${documents.length}.`, {
        cure: "Run the same command with --list to see the chapters.",
      });
    return document;
  });
}

import { AppError, countCharacters, type SkippedText, type SourceBlock, type SourceFile } from "@katari/core";

/** A character of the display text that stands for others in the source: it takes the place of `[start, end)`. */
interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Book-keeping for one file of the source: every character is in a block, or skipped by a named rule. */
export interface FileLedger {
  readonly path: string;
  readonly text: string;
  /** Notes that `[start, end)` is not voiced. Ranges of white space only are not noted. */
  skip(rule: string, start: number, end: number, title?: string): void;
  /** Notes that display text holds `text` where the source has `[start, end)`; both count the same characters. */
  replace(start: number, end: number, text: string): void;
  /** Takes back what was noted wholly inside a range, for a rule that leaves out the whole range. */
  withdraw(start: number, end: number): void;
  /** Skips in order, neighbours of one rule joined. */
  skipped(): SkippedText[];
  file(): SourceFile;
  /**
   * Proves that the blocks and the skips are the file: disjoint, in order, each character once and unchanged.
   * @throws AppError `internal` with the file's path and the first place that differs
   */
  prove(blocks: readonly SourceBlock[]): void;
}

interface Skip {
  rule: string;
  start: number;
  end: number;
  title: string | undefined;
}

/** `text` is what ranges are offsets into: a decoded file, or the text inside a page's body. */
export function createFileLedger(path: string, text: string): FileLedger {
  let skips: Skip[] = [];
  let replacements: Replacement[] = [];

  const ordered = (): Skip[] => {
    const merged: Skip[] = [];
    for (const skip of [...skips].sort((a, b) => a.start - b.start)) {
      const last = merged[merged.length - 1];
      const joins =
        last !== undefined &&
        last.rule === skip.rule &&
        last.title === skip.title &&
        skip.start >= last.end &&
        !/\S/u.test(text.slice(last.end, skip.start));
      if (joins) last.end = skip.end;
      else merged.push({ ...skip });
    }
    return merged;
  };

  return {
    path,
    text,
    skip(rule, start, end, title) {
      if (/\S/u.test(text.slice(start, end))) skips.push({ rule, start, end, title });
    },
    replace(start, end, replacement) {
      replacements.push({ start, end, text: replacement });
    },
    withdraw(start, end) {
      const outside = (range: { start: number; end: number }): boolean => range.start < start || range.end > end;
      skips = skips.filter(outside);
      replacements = replacements.filter(outside);
    },
    skipped() {
      return ordered().map(({ rule, start, end, title }) => ({
        rule,
        ...(title === undefined ? {} : { title }),
        range: { file: path, start, end },
        characters: countCharacters(text.slice(start, end)),
      }));
    },
    file: () => ({ path, characters: countCharacters(text) }),
    prove(blocks) {
      const left = remainder(text, ordered(), replacements, path);
      let at = 0;
      let previousEnd = 0;
      for (const block of blocks) {
        const { start, end } = block.range;
        if (start < previousEnd || end < start || end > text.length) throw lost(path, text.slice(start, start + 40));
        previousEnd = end;
        const voiced = block.text.replace(/\s+/gu, "");
        if (!left.startsWith(voiced, at)) throw lost(path, left.slice(at, at + 40));
        at += voiced.length;
      }
      if (at !== left.length) throw lost(path, left.slice(at, at + 40));
    },
  };
}

/** The file without white space, without what was skipped, with what was replaced. */
function remainder(text: string, skips: readonly Skip[], replacements: readonly Replacement[], path: string): string {
  const changes = [...skips.map(({ start, end }) => ({ start, end, text: "" })), ...replacements].sort(
    (a, b) => a.start - b.start || a.end - b.end,
  );
  const parts: string[] = [];
  let at = 0;
  for (const change of changes) {
    if (change.start < at) throw lost(path, text.slice(change.start, change.start + 40));
    parts.push(text.slice(at, change.start), change.text);
    at = change.end;
  }
  parts.push(text.slice(at));
  return parts.join("").replace(/\s+/gu, "");
}

function lost(path: string, near: string): AppError {
  return new AppError("internal", `Text of ${path} would be lost near “${near.trim()}”, so the source was not read.`, {
    cure: "Report this fault with the file; nothing was written.",
    details: { file: path },
  });
}

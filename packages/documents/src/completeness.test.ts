import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError, countCharacters, type SourceTree } from "@katari/core";
import { readBody } from "./epub/read-body.ts";
import { findElement, textOf } from "./markup-tree.ts";
import { readMarkdown } from "./markdown/read-markdown.ts";
import { parsePage } from "./parse-html.ts";
import { readText } from "./text/read-text.ts";

const words = fc.array(
  fc.constantFrom(
    "a",
    "One.",
    "é",
    "漢字",
    "《かな》",
    "&",
    "&amp;apos;",
    "<3",
    "*",
    "_x_",
    "\u00AD",
    "\u2060",
    "😀",
    "1",
    "[1]",
    "|",
    "#",
    "\n",
    "  ",
    "\t",
    "\u00A0",
    "———",
    "……",
  ),
  { maxLength: 12 },
);
const names =
  "p div span em b i a sup sub ruby rt rp rb rtc h1 h3 ul ol li blockquote table tr td hr br pre code aside section script svg q nav".split(
    " ",
  );
const attributes = fc.constantFrom(
  "",
  ' id="x"',
  " hidden",
  ' class="poem"',
  ' epub:type="noteref"',
  ' href="#n"',
  ' lang="de"',
  ' class="pagenum"',
  ' style="display:none"',
  " /",
);
const fragment: fc.Arbitrary<string> = fc
  .letrec<{ node: string; element: string; children: string[] }>((tie) => ({
    node: fc.oneof(
      { withCrossShrink: true, maxDepth: 6 },
      words.map((list) => list.join("")),
      tie("element"),
    ),
    children: fc.array(tie("node"), { maxLength: 4 }),
    element: fc
      .tuple(fc.constantFrom(...names), attributes, tie("children"), fc.boolean())
      .map(
        ([name, attribute, children, closed]) =>
          `<${name}${attribute}>${children.join("")}${closed ? `</${name}>` : ""}`,
      ),
  }))
  .children.map((children) => children.join(""));

/** Characters of the files less those voiced and those skipped: 0 for every source that is read, and for an empty one. */
function unaccounted(read: () => SourceTree): number {
  let tree: SourceTree;
  try {
    tree = read();
  } catch (error) {
    if (AppError.from(error).code === "empty-source") return 0;
    throw error;
  }
  const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);
  const voiced = tree.documents.flatMap(({ blocks }) => blocks.map(({ text }) => countCharacters(text)));
  const skipped = tree.skipped.map(({ characters }) => characters);
  return sum(tree.files.map(({ characters }) => characters)) - sum(voiced) - sum(skipped);
}

describe("completeness", () => {
  it("holds for any page", () => {
    fc.assert(
      fc.property(fragment, (html) => {
        const root = parsePage(`<html><body>${html}</body></html>`, "p.xhtml");
        const body = findElement(root, "body") ?? root;
        const read = readBody("p.xhtml", body, "en");
        read.ledger.prove(read.blocks);
        const voiced = read.blocks.reduce((sum, { text }) => sum + countCharacters(text), 0);
        const skipped = read.ledger.skipped().reduce((sum, { characters }) => sum + characters, 0);
        expect(voiced + skipped).toBe(countCharacters(textOf(body)));
        for (const { spans, text } of read.blocks) {
          for (const span of spans) expect(span.start < span.end && span.end <= text.length).toBe(true);
        }
      }),
      { numRuns: 600 },
    );
  });

  const line = fc.oneof(
    fc.constantFrom(
      "# A",
      "## B",
      "- x",
      "  - y",
      "1. z",
      "> q",
      "---",
      "```",
      "    code",
      "| a | b |",
      "|---|---|",
      "[^1]: note",
      "[l]: http://e.org 'T'",
      "<div>h</div>",
      "![i](u)",
      '[t](u "v")',
      "a[^1]b",
      "\\*x\\*",
      "&copy;&#65;&bogus;&amp;amp;",
      "*e* **s** `c` ``d`e``",
      "~~gone~~",
      "<ruby>漢<rt>かん</rt></ruby>",
      "- [x] done",
      "a\\",
      "b  ",
      "\0",
      "<https://e.org>",
      "[l]",
      "***",
      "~~~",
      "\tt",
      "Setext",
      "===",
      "",
    ),
    words.map((list) => list.join("")),
  );
  const lines = fc.array(line, { maxLength: 25 }).map((list) => list.join("\n"));

  it("holds for any Markdown", () => {
    fc.assert(
      fc.property(lines, fc.constantFrom("", "---\ntitle: T\n---\n"), (text, front) => {
        expect(unaccounted(() => readMarkdown({ text: front + text, encoding: "utf-8" }, "b.md"))).toBe(0);
      }),
      { numRuns: 1_500 },
    );
  });

  it("holds for a table whose cells are mere signs", () => {
    const text = "|x|y|\n|---|---|\n|———|#|";
    expect(unaccounted(() => readMarkdown({ text, encoding: "utf-8" }, "b.md"))).toBe(0);
    expect(readMarkdown({ text, encoding: "utf-8" }, "b.md").documents.flatMap(({ blocks }) => blocks)).toHaveLength(2);
  });

  it("counts no word of Markdown as markup", () => {
    const word = fc.stringMatching(/^[a-wéß漢]{1,6}$/u);
    const dressed = fc.tuple(word, fc.nat(9)).map(([text, style]) => {
      const dresses = [
        text,
        `*${text}*`,
        `**${text}**`,
        `\`${text}\``,
        `[${text}](u)`,
        `~~${text}~~`,
        `\\*${text}`,
        `&amp;${text}`,
        `<b>${text}</b>`,
        `[${text}]`,
      ];
      const shown = style === 6 ? `*${text}` : style === 7 ? `&${text}` : style === 9 ? `[${text}]` : text;
      return { source: dresses[style] ?? text, shown };
    });
    const paragraph = fc.tuple(
      fc.constantFrom("", "> ", "- ", "# ", "1. "),
      fc.array(dressed, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(" ", "\n"),
    );
    fc.assert(
      fc.property(fc.array(paragraph, { minLength: 1, maxLength: 5 }), (paragraphs) => {
        const source = paragraphs.map(
          ([mark, parts, joint]) => mark + parts.map((part) => part.source).join(mark === "" ? joint : " "),
        );
        const tree = readMarkdown({ text: source.join("\n\n"), encoding: "utf-8" }, "b.md");
        const voiced = tree.documents.flatMap(({ blocks }) => blocks.map(({ text }) => text));
        const left = tree.skipped.filter(({ rule }) => rule === "titlepage").map(({ title }) => title);
        expect([...left, ...voiced]).toEqual(paragraphs.map(([, parts]) => parts.map(({ shown }) => shown).join(" ")));
      }),
      { numRuns: 400 },
    );
  });

  it("holds for any plain text", () => {
    const plain = fc.oneof(
      line,
      fc.constantFrom(
        "CHAPTER I",
        "Chapter Two",
        "I",
        "II",
        "第一章",
        "*** START OF THE PROJECT GUTENBERG EBOOK X ***",
        "*** END OF THE PROJECT GUTENBERG EBOOK X ***",
        "-".repeat(55),
        "【テキスト中に現れる記号について】",
        "底本：「x」",
        "　漢字《かんじ》の｜此処《ここ》［＃改ページ］",
        "※［＃「x」、U+63B5］",
        "_a",
        "b_",
        "Contents",
        "\f",
        "\r",
        "by Ann",
      ),
    );
    fc.assert(
      fc.property(fc.array(plain, { maxLength: 30 }), (list) => {
        expect(unaccounted(() => readText({ text: list.join("\n"), encoding: "utf-8" }, "b.txt"))).toBe(0);
      }),
      { numRuns: 1_500 },
    );
  });
});

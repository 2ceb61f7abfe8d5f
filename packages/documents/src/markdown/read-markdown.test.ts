import { describe, expect, it } from "vitest";
import { outline, readBytes, skippedByRule, texts } from "../epub.fixture.ts";

const read = (text: string) => readBytes(text, "book.md");

describe("chapters of a Markdown file", () => {
  it("begin at headings of the first level", async () => {
    expect(outline(await read("# One\n\na\n\n## Part\n\nb\n\n# Two\n\nc\n"))).toEqual([
      {
        title: "One",
        blocks: [
          ["heading", "One"],
          ["paragraph", "a"],
          ["heading", "Part"],
          ["paragraph", "b"],
        ],
      },
      {
        title: "Two",
        blocks: [
          ["heading", "Two"],
          ["paragraph", "c"],
        ],
      },
    ]);
  });

  it("begin at the second level below one title, which is the book's", async () => {
    const tree = await read("# The Book\n\n## One\n\na\n\n## Two\n\nb\n");
    expect(tree.documents.map(({ title }) => title)).toEqual(["One", "Two"]);
    expect(tree.metadata.title).toBe("The Book");
    expect(tree.skipped.filter(({ rule }) => rule === "titlepage").map(({ title }) => title)).toEqual(["The Book"]);
  });

  it("keep text before the first of them", async () => {
    const tree = await read("# The Book\n\nA word before.\n\n## One\n\na\n");
    expect(tree.documents.map(({ title }) => title)).toEqual(["The Book", "One"]);
  });

  it("are one where there are no headings", async () => {
    expect(outline(await read("Only words.\n"))).toEqual([{ title: "book", blocks: [["paragraph", "Only words."]] }]);
  });
});

describe("Markdown", () => {
  it("takes title, author and language from the block at its head", async () => {
    const tree = await read('---\ntitle: "It\'s: a Book"\nauthor: [Ann, Bo]\nlang: en-GB # note\n---\n# One\n\na\n');
    expect(tree.metadata).toEqual({ title: "It's: a Book", authors: ["Ann", "Bo"], language: "en-GB" });
    expect(texts(tree)).toEqual(["One", "a"]);
  });

  it("never voices its marks", async () => {
    const tree = await read("You *shouldn't* **panic**, `x` ~~or~~ [read](http://e.org) a\\*b &amp; &copy;.\n");
    expect(texts(tree)).toEqual(["You shouldn't panic, x or read a*b & ©."]);
    expect(tree.documents[0]?.blocks[0]?.spans).toEqual([
      { kind: "emphasis", start: 4, end: 13 },
      { kind: "strong", start: 14, end: 19 },
      { kind: "code", start: 21, end: 22 },
    ]);
  });

  it("unwraps lines, keeps hard breaks, reads quotations and lists", async () => {
    expect(
      outline(await read("One\ntwo\\\nthree.\n\n> Four\n> five.\n\n2. Six\n   1. Seven\n- [ ] Eight\n"))[0]?.blocks,
    ).toEqual([
      ["paragraph", "One two\nthree."],
      ["quotation", "Four five."],
      ["list-item", "Six"],
      ["list-item", "Seven"],
      ["list-item", "Eight"],
    ]);
  });

  it("leaves out code, images, HTML and footnotes, each by its rule", async () => {
    const tree = await read(
      "a[^1] ![alt](i.png) <span>b</span>\n\n```js\ncode();\n```\n\n<div>html</div>\n\n[^1]: The note.\n\n[l]: http://e.org\n",
    );
    expect(texts(tree)).toEqual(["a b"]);
    expect(skippedByRule(tree)).toEqual({
      "note-reference": 4,
      image: 13,
      html: 13 + 15,
      "code-block": 3 + 2 + 7 + 3,
      footnote: 13,
      "link-definition": 16,
    });
  });

  it("reads a table row by row", async () => {
    expect(outline(await read("| Name | *Age* |\n|---|:-:|\n| Ann | 40 |\n"))[0]?.blocks).toEqual([
      ["table-row", "Name\nAge"],
      ["table-row", "Ann\n40"],
    ]);
  });

  it("makes scene breaks of rules and ornaments", async () => {
    expect(outline(await read("a\n\n* * *\n\nb\n\n⁂\n\nc\n"))[0]?.blocks.map(([kind]) => kind)).toEqual([
      "paragraph",
      "scene-break",
      "paragraph",
      "scene-break",
      "paragraph",
    ]);
  });

  it("reads ruby written as HTML once", async () => {
    const tree = await read("その<ruby>憂鬱<rp>(</rp><rt>ゆううつ</rt><rp>)</rp></ruby>な朝\n");
    expect(texts(tree)).toEqual(["その憂鬱な朝"]);
    expect(tree.documents[0]?.blocks[0]?.spans).toEqual([{ kind: "ruby", start: 2, end: 4, value: "ゆううつ" }]);
  });

  it("gives ranges that are the source's own text", async () => {
    const source = "# One\n\nA *b* c.\n";
    const tree = await read(source);
    expect(tree.documents[0]?.blocks.map(({ range }) => source.slice(range.start, range.end))).toEqual([
      "One",
      "A *b* c.",
    ]);
  });
});

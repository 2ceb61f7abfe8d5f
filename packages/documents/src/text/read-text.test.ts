import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { outline, readBytes, skippedByRule, texts } from "../epub.fixture.ts";
import { readSource } from "../read-source.ts";

const read = (text: string) => readBytes(text, "book.txt");

describe("paragraphs of plain text", () => {
  it("are lines up to an empty one, unwrapped", async () => {
    expect(texts(await read("It was a dark\nand stormy night.\n\nThe rain fell.\r\n\r\nIt stopped.\r\n"))).toEqual([
      "It was a dark and stormy night.",
      "The rain fell.",
      "It stopped.",
    ]);
  });

  it("begin at indented lines where there are no empty ones", async () => {
    expect(texts(await read("    It was a dark\nand stormy night.\n    The rain\nfell."))).toEqual([
      "It was a dark and stormy night.",
      "The rain fell.",
    ]);
  });

  it("end at a short line with a full stop where nothing else shows it", async () => {
    const lines = [
      "The first paragraph has a long line that reaches",
      "the margin and ends here.",
      "The second one has a long line up to the margin",
      "too.",
    ];
    expect(texts(await read(lines.join("\n")))).toEqual([`${lines[0]} ${lines[1]}`, `${lines[2]} ${lines[3]}`]);
  });

  it("are single lines where lines are long", async () => {
    const line = "word ".repeat(60).trim();
    expect(texts(await read(`${line}\n${line}\n`))).toEqual([line, line]);
  });

  it("keep the lines of verse", async () => {
    const prose = "This line of prose is long enough to show where the margin of the whole text is,\nand it goes on.";
    expect(outline(await read(`${prose}\n\nThe sea is calm,\nThe tide is full,\n\n${prose}\n`))[0]?.blocks[1]).toEqual([
      "verse",
      "The sea is calm,\nThe tide is full,",
    ]);
  });

  it("read words between low lines as emphasis", async () => {
    const tree = await read("This is _very\nodd_, said snake_case_name.\n\nYes.");
    expect(texts(tree)).toEqual(["This is very odd, said snake_case_name.", "Yes."]);
    expect(tree.documents[0]?.blocks[0]?.spans).toEqual([{ kind: "emphasis", start: 8, end: 16 }]);
  });
});

describe("chapters of plain text", () => {
  it.each([
    ["Chapter and number", "CHAPTER I. THE DOOR", "CHAPTER II. THE KEY"],
    ["words", "Chapter One", "Chapter Two"],
    ["Roman numerals", "I", "II"],
    ["Japanese", "第一章　門", "第二章　鍵"],
    ["German", "Kapitel 1", "Kapitel 2"],
  ])("begin at headings by %s", async (_, first, second) => {
    const tree = await read(`${first}\n\nSome text is here.\n\n${second}\n\nMore text is here.\n`);
    const folded = (text: string): string => text.replace(/\s+/gu, " ");
    expect(tree.documents.map(({ title }) => title)).toEqual([folded(first), folded(second)]);
    expect(tree.documents[0]?.blocks[0]).toMatchObject({ kind: "heading", level: 1 });
  });

  it("are not made of one lone numeral or of a sentence", async () => {
    const tree = await read(
      "I\n\nsaid so.\n\nChapter two of my life, as I have told you before, began on a day in May.\n\nEnd.",
    );
    expect(tree.documents).toHaveLength(1);
  });

  it("leave out a table of contents, by rule", async () => {
    const tree = await read("Chapter One\n\nChapter Two\n\nChapter One\n\nText.\n\nChapter Two\n\nMore.\n");
    expect(tree.documents.map(({ title }) => title)).toEqual(["Chapter One", "Chapter Two"]);
    expect(skippedByRule(tree)).toEqual({ toc: 20 });
  });

  it("take title and author from the opening lines, and voice them", async () => {
    const tree = await read("The Door\n\nby Ann Author\n\nChapter One\n\nText.\n\nChapter Two\n\nMore.\n");
    expect(tree.metadata).toMatchObject({ title: "The Door", authors: ["Ann Author"] });
    expect(texts(tree).slice(0, 3)).toEqual(["The Door", "by Ann Author", "Chapter One"]);
  });
});

describe("a text of Project Gutenberg", () => {
  it("is read without its licence, with the facts from its head", async () => {
    const head = "The Project Gutenberg eBook of X\n\nTitle: The Door\n\nAuthor: Ann Author\n\nLanguage: English\n\n";
    const start = "*** START OF THE PROJECT GUTENBERG EBOOK THE DOOR ***\n\nProduced by Some\nPeople\n\n";
    const tree = await read(
      `${head}${start}The text of it.\n\n*** END OF THE PROJECT GUTENBERG EBOOK THE DOOR ***\n\nLicence.`,
    );
    expect(texts(tree)).toEqual(["The text of it."]);
    expect(tree.metadata).toEqual({ title: "The Door", authors: ["Ann Author"], language: "en" });
    expect(Object.keys(skippedByRule(tree)).sort()).toEqual(["gutenberg-licence", "transcriber-note"]);
  });
});

describe("a text of Aozora Bunko", () => {
  it("is read without its frame, with readings as ruby and notes left out", async () => {
    const rule = "-".repeat(55);
    const tree = await read(
      `門\n著者名\n\n${rule}\n【テキスト中に現れる記号について】\n\n《》：ルビ\n${rule}\n\n` +
        "　［＃５字下げ］第一［＃「第一」は大見出し］\n　邪智暴虐《じゃちぼうぎゃく》の疲労｜困憊《こんぱい》だ。\n※［＃「てへん」、U+63B5、1-1］の北京《ペキン》と学校《school》。\n\n底本：「門」\n",
    );
    expect(outline(tree)).toEqual([
      {
        title: "第一",
        blocks: [
          ["heading", "第一"],
          ["paragraph", "邪智暴虐の疲労困憊だ。"],
          ["paragraph", "掵の北京と学校。"],
        ],
      },
    ]);
    const spans = tree.documents[0]?.blocks.flatMap((block) =>
      block.spans.map((s) => [block.text.slice(s.start, s.end), s.value]),
    );
    expect(spans).toEqual([
      ["邪智暴虐", "じゃちぼうぎゃく"],
      ["困憊", "こんぱい"],
      ["北京", "ペキン"],
    ]);
    expect(tree.metadata).toEqual({ title: "門", authors: ["著者名"], language: "ja" });
    expect(Object.keys(skippedByRule(tree)).sort()).toEqual([
      "aozora-footer",
      "aozora-header",
      "aozora-note",
      "markup",
      "ruby-gloss",
      "ruby-reading",
    ]);
  });

  it("leaves title marks of other texts alone", async () => {
    expect(texts(await read("我读过《红楼梦》和《西游记》。"))).toEqual(["我读过《红楼梦》和《西游记》。"]);
    expect(texts(await read("これは《すごい》話です。"))).toEqual(["これは《すごい》話です。"]);
  });
});

const merosu = fileURLToPath(new URL("../../../../../shared/books/hashire-merosu.cp932.txt", import.meta.url));
describe.skipIf(!existsSync(merosu) && process.env["KATARI_REQUIRE_ALL"] !== "1")(
  "走れメロス (needs ../shared)",
  () => {
    it("is read from CP932 with every reading beside its base", async () => {
      const tree = await readSource({ path: merosu, fileName: "hashire-merosu.cp932.txt" });
      expect(tree).toMatchObject({
        encoding: "shift_jis",
        metadata: { title: "走れメロス", authors: ["太宰治"], language: "ja" },
      });
      const text = texts(tree).join("\n");
      expect(text).not.toMatch(/[《》｜]|［＃/u);
      const [first] = tree.documents[0]?.blocks ?? [];
      expect(first?.text.slice(0, 10)).toBe("メロスは激怒した。必");
      expect(first?.spans[0]).toEqual({ kind: "ruby", start: 14, end: 18, value: "じゃちぼうぎゃく" });
      expect(texts(tree).at(-1)).toBe("（古伝説と、シルレルの詩から。）");
    });
  },
);

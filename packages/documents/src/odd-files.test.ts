import { describe, expect, it } from "vitest";
import {
  epubFiles,
  outline,
  readBytes,
  readEpubFixture,
  readOnePage,
  skippedByRule,
  texts,
  writeZip,
} from "./epub.fixture.ts";

const text = (source: string | Uint8Array) => readBytes(source, "book.txt");
const markdown = (source: string) => readBytes(source, "book.md");
const page = (bytes: string | Uint8Array) =>
  readBytes(writeZip({ ...epubFiles({ pages: { "a.xhtml": "" } }), "OEBPS/a.xhtml": bytes }), "book.epub");
const titles = (tree: { documents: readonly { title: string }[] }): string[] =>
  tree.documents.map(({ title }) => title);

describe("names of files in an EPUB", () => {
  const files = epubFiles({ pages: { "a.xhtml": "<p>Alpha.</p>" }, toc: [["Alpha", "A.XHTML"]] });
  const renamed = (from: string, to: string) =>
    Object.fromEntries(Object.entries(files).map(([name, content]) => [name === from ? to : name, content]));

  it("are found in any case, also by the table of contents", async () => {
    expect(titles(await readBytes(writeZip(files), "book.epub"))).toEqual(["Alpha"]);
    const moved = renamed("META-INF/container.xml", "meta-inf/Container.xml");
    expect(texts(await readBytes(writeZip(moved), "book.epub"))).toEqual(["Alpha."]);
    expect(titles(await readBytes(writeZip(renamed("OEBPS/nav.xhtml", "OEBPS/Nav.xhtml")), "book.epub"))).toEqual([
      "Alpha",
    ]);
  });

  it("are found with percent signs decoded or not", async () => {
    const literal = epubFiles({ pages: { "a%20b.xhtml": "<p>Alpha.</p>" }, toc: [["One", "a%20b.xhtml"]] });
    expect(titles(await readBytes(writeZip(literal), "book.epub"))).toEqual(["One"]);
  });
});

describe("bytes of a page", () => {
  it.each<[string, Uint8Array]>([
    [
      "UTF-16 without a byte order mark",
      Buffer.from("<?xml version='1.0'?><html><body><p>Café</p></body></html>", "utf16le"),
    ],
    ["windows-1252 that nothing declares", Buffer.from("<html><body><p>Caf\xe9</p></body></html>", "latin1")],
    [
      "windows-1252 that says it is UTF-8",
      Buffer.from('<?xml version="1.0" encoding="utf-8"?><html><body><p>Caf\xe9</p></body></html>', "latin1"),
    ],
  ])("are read from %s", async (_, bytes) => {
    expect(texts(await page(bytes))).toEqual(["Café"]);
  });

  it("have entities that their own document type defines, and none of other files", async () => {
    const type = (more: string) => `<!DOCTYPE html [<!ENTITY pub "Ward &#38; Co">${more}<!ENTITY who "Weena">]>`;
    expect(texts(await page(`${type("")}<html><body><p>A &who;.</p></body></html>`))).toEqual(["A Weena."]);
    const outside = await page(
      `${type('<!ENTITY x SYSTEM "file:///etc/hostname">')}<html><body><p>A &x;.</p></body></html>`,
    );
    expect(texts(outside)).toEqual(["A &x;."]);
  });
});

describe("headings in touching elements", () => {
  it.each([
    ["<span>II</span><span>The Start</span>", "II The Start"],
    ["<span>Chapter 2</span><span>THE START</span>", "Chapter 2 THE START"],
    ["<span>CHAPTER</span><span>IV</span>", "CHAPTER IV"],
    ["<span>I</span><span>NTRODUCTION</span>", "INTRODUCTION"],
    ["<span>T</span><span>he</span> <b>S</b>tart", "The Start"],
  ])("%s is %j", async (heading, expected) => {
    expect(texts(await readOnePage(`<h2>${heading}</h2><p>Text.</p>`))[0]).toBe(expected);
  });
});

describe("words of a page", () => {
  it("are neither split nor glued by what stands in them", async () => {
    const words =
      '<p><span class="dropcap">T</span>he sp<b>l</b>it w<i>or</i>d, ex&#173;am&#8203;ple, some<span class="pagenum">[6]</span>where,' +
      " super<wbr/>b<!-- c -->, A<![CDATA[<b>]]>. <i>One</i>\n<i>two</i><br/>three</p>";
    expect(texts(await readOnePage(words))).toEqual([
      "The split word, example, somewhere, superb, A<b>. One two three",
    ]);
  });

  it("stay in order in the oddest structures, or the page is refused with a cure", async () => {
    const odd = "<ul><li>1<ul><li>2<ol><li><p>3</p><p>4</p></li></ol></li></ul>5</li></ul>6<span>7<div>8</div>9</span>";
    expect(texts(await readOnePage(odd))).toEqual(["1", "2", "3", "4", "5", "6 7".replace(" ", ""), "8", "9"]);
    await expect(readOnePage(`${"<div>".repeat(10_000)}x${"</div>".repeat(10_000)}`)).rejects.toMatchObject({
      code: "too-large",
      cure: expect.stringContaining("EPUB editor") as string,
    });
  });

  it("survive a table of contents that leads nowhere and ids that stand twice", async () => {
    const tree = await readEpubFixture({
      pages: { "a.xhtml": '<h1 id="x">One</h1><p id="x">Alpha.</p>', "b.xhtml": "<h1>Two</h1><p>Beta.</p>" },
      toc: [
        ["One", "a.xhtml#x"],
        ["Gone", "nowhere.xhtml"],
        ["Two", "b.xhtml#nothing"],
      ],
    });
    expect(titles(tree)).toEqual(["One", "Two"]);
    expect(texts(tree)).toEqual(["One", "Alpha.", "Two", "Beta."]);
  });
});

describe("plain text as people have it", () => {
  it("has chapters named by numbers that count up, and only by those", async () => {
    expect(titles(await text("1\n\nAlpha.\n\n2\n\nBeta.\n\n3.\n\nGamma.\n"))).toEqual(["1", "2", "3."]);
    expect(titles(await text("In the year\n\n1\n\nAlpha.\n\n7\n\nBeta.\n"))).toEqual(["book"]);
  });

  it("joins a word that a line's end cut at its hyphen", async () => {
    expect(texts(await text("He was a well-\nknown man, two-\nand three-\nfold.\n"))).toEqual([
      "He was a well-known man, two- and three-fold.",
    ]);
  });

  it("leaves out a table of contents in lines", async () => {
    const tree = await text(
      "The Book\n\nContents\n\n CHAPTER I. Alpha .... 3\n CHAPTER II. Beta .... 9\n\nCHAPTER I. Alpha\n\nA.\n\nCHAPTER II. Beta\n\nB.\n",
    );
    expect(texts(tree)).toEqual(["The Book", "CHAPTER I. Alpha", "A.", "CHAPTER II. Beta", "B."]);
    expect(Object.keys(skippedByRule(tree))).toEqual(["toc"]);
  });

  it("may be pieced together from two encodings", async () => {
    const bytes = Buffer.concat([Buffer.from("Café one.\n\n"), Buffer.from("Caf\xe9 two.\n", "latin1")]);
    expect(texts(await text(bytes))).toEqual(["Café one.", "Café two."]);
  });

  it.each(["\n", "\r\n", "\r"])("is the same with lines that end in %j", async (end) => {
    const lines = ["\uFEFFCHAPTER I.", "", "The first line of", "the text.", "", "CHAPTER II.", "", "More."];
    expect(outline(await text(lines.join(end)))).toEqual([
      {
        title: "CHAPTER I.",
        blocks: [
          ["heading", "CHAPTER I."],
          ["paragraph", "The first line of the text."],
        ],
      },
      {
        title: "CHAPTER II.",
        blocks: [
          ["heading", "CHAPTER II."],
          ["paragraph", "More."],
        ],
      },
    ]);
  });
});

describe("Markdown made to exhaust the parser", () => {
  it.each([
    ["quotations", "> ".repeat(5_000) + "deep\n"],
    ["lists on one line", "- ".repeat(5_000) + "deep\n"],
    ["brackets", "[".repeat(50_000) + "a" + "]".repeat(50_000)],
  ])("is refused with a cure: %s", async (_, source) => {
    await expect(markdown(source)).rejects.toMatchObject({
      code: "too-large",
      cure: expect.stringContaining(".txt") as string,
    });
  });
});

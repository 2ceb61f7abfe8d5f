import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { countCharacters } from "@katari/core";
import { outline, readBytes, readEpubFixture, skippedByRule, texts, writeZip, epubFiles } from "../epub.fixture.ts";
import { readSource } from "../read-source.ts";

const titles = (tree: { documents: readonly { title: string }[] }): string[] =>
  tree.documents.map(({ title }) => title);
const chapter = (name: string): string => `<h2>${name}</h2><p>Text of ${name}.</p>`;

describe("chapters of an EPUB", () => {
  it("divides one file at the anchors of its table of contents", async () => {
    const page = ["a", "b", "c"].map((id) => `<h2 id="${id}">Chapter ${id}</h2><p>Text ${id}.</p>`).join("");
    const entries = ["a", "b", "c"].map((id) => [`The ${id}`, `ch.xhtml#${id}`] as const);
    for (const contents of [{ ncx: entries }, { toc: entries }]) {
      const tree = await readEpubFixture({ pages: { "ch.xhtml": page }, ...contents });
      expect(outline(tree)).toEqual(
        ["a", "b", "c"].map((id) => ({
          title: `The ${id}`,
          blocks: [
            ["heading", `Chapter ${id}`],
            ["paragraph", `Text ${id}.`],
          ],
        })),
      );
    }
  });

  it("divides at anchors that stand inside a heading or between blocks", async () => {
    const page = '<p>Before all.</p><a id="x"/><h2>One</h2><p>1</p><h2>Two<a name="y"/></h2><p>2</p>';
    const tree = await readEpubFixture({
      pages: { "ch.xhtml": page },
      toc: [
        ["0", "ch.xhtml"],
        ["1", "ch.xhtml#x"],
        ["2", "ch.xhtml#y"],
      ],
    });
    expect(tree.documents.map(({ blocks }) => blocks.map(({ text }) => text))).toEqual([
      ["Before all."],
      ["One", "1"],
      ["Two", "2"],
    ]);
  });

  it("uses the spine where there is no table of contents", async () => {
    const tree = await readEpubFixture({
      pages: { "zz.xhtml": "<p>First page of it.</p>", "aa.xhtml": chapter("Two") },
    });
    expect(titles(tree)).toEqual(["First page of it.", "Two"]);
  });

  it("follows the spine, not the names of files", async () => {
    const tree = await readEpubFixture({
      pages: { "10.xhtml": chapter("Ten"), "2.xhtml": chapter("Two") },
      spine: ["10.xhtml", "2.xhtml"],
    });
    expect(titles(tree)).toEqual(["Ten", "Two"]);
  });

  it("joins a title in two lines or two headings", async () => {
    const tree = await readEpubFixture({
      pages: { "1.xhtml": "<h1>Chapter<br/>One</h1><p>a</p>", "2.xhtml": "<h1>II</h1><h2>The Door</h2><p>b</p>" },
    });
    expect(titles(tree)).toEqual(["Chapter One", "II: The Door"]);
  });

  it("gives every chapter its own text", async () => {
    const tree = await readEpubFixture({
      pages: { "1.xhtml": chapter("One"), "2.xhtml": chapter("Two"), "3.xhtml": chapter("Three") },
      toc: [
        ["One", "1.xhtml"],
        ["Two", "2.xhtml"],
        ["Three", "3.xhtml"],
      ],
    });
    expect(texts(tree)).toEqual(["One", "Text of One.", "Two", "Text of Two.", "Three", "Text of Three."]);
  });

  it("adds pages that the table of contents does not name to the chapter that they continue", async () => {
    const tree = await readEpubFixture({
      pages: { "1a.xhtml": chapter("One"), "1b.xhtml": "<p>More of it.</p>", "2.xhtml": chapter("Two") },
      toc: [
        ["One", "1a.xhtml"],
        ["Two", "2.xhtml"],
      ],
    });
    expect(outline(tree)[0]).toEqual({
      title: "One",
      blocks: [
        ["heading", "One"],
        ["paragraph", "Text of One."],
        ["paragraph", "More of it."],
      ],
    });
  });
});

describe("front and back matter", () => {
  it("is left out by what it is marked as, and named as in the table of contents", async () => {
    const tree = await readEpubFixture({
      pages: {
        "t.xhtml": '<section epub:type="titlepage"><h1>A Book</h1><p>By A. Writer</p></section>',
        "c.xhtml": chapter("One"),
        "n.xhtml": '<section epub:type="endnotes"><h2>Notes</h2><p>1. x</p></section>',
      },
      toc: [
        ["Title Page", "t.xhtml"],
        ["One", "c.xhtml"],
        ["Endnotes", "n.xhtml"],
      ],
    });
    expect(titles(tree)).toEqual(["One"]);
    expect(tree.skipped.map(({ rule, title }) => [rule, title])).toEqual([
      ["titlepage", "Title Page"],
      ["endnotes", "Endnotes"],
    ]);
  });

  it("is left out by landmarks, guide and title", async () => {
    const tree = await readEpubFixture({
      pages: {
        "cov.xhtml": "<p>The cover</p>",
        "cr.xhtml": "<p>Words of the law</p>",
        "ch.xhtml": chapter("One"),
        "ix.xhtml": "<h2>Index</h2><p>Adams, 4</p>",
      },
      toc: [
        ["Start", "cov.xhtml"],
        ["Rights page", "cr.xhtml"],
        ["One", "ch.xhtml"],
      ],
      landmarks: [["cover", "cov.xhtml"]],
      guide: '<reference type="copyright-page" href="cr.xhtml"/>',
    });
    expect(titles(tree)).toEqual(["One"]);
    expect(tree.skipped.map(({ rule, title }) => [rule, title])).toEqual([
      ["cover", "Start"],
      ["copyright-page", "Rights page"],
      ["index", "Index"],
    ]);
  });

  it("is told without any marks: a title page, a copyright page, a page of links", async () => {
    const tree = await readEpubFixture({
      pages: {
        "1.xhtml": "<h1>A Book</h1><p>by A. Writer</p>",
        "2.xhtml": "<p>Copyright © 2001 A. Writer. All rights reserved.</p>",
        "3.xhtml": ["a", "b", "c", "d"].map((id) => `<p><a href="4.xhtml#${id}">Chapter ${id}</a></p>`).join(""),
        "4.xhtml": chapter("One"),
      },
      toc: [["One", "4.xhtml"]],
    });
    expect(titles(tree)).toEqual(["One"]);
    expect(tree.skipped.map(({ rule }) => rule)).toEqual(["titlepage", "copyright-page", "toc"]);
  });

  it("is told inside a page: the book's title and a list of links to its chapters", async () => {
    const links = ["One", "Two", "Three", "Four"].map((name) => `<li><a href="#${name}">${name}</a></li>`).join("");
    const rows = ["I", "II", "III", "IV"]
      .map((n) => `<tr><td><a href="#One">${n}</a></td><td>A long title of a chapter</td></tr>`)
      .join("");
    const page = `<h1 id="title">A Book</h1><p>by A. Writer</p><h2>Contents</h2><ul>${links}</ul><table>${rows}</table>
      <h2 id="One">One</h2><p>Text with <a href="#Two">a link</a>.</p><h2 id="Two">Two</h2><p>More.</p>`;
    const tree = await readEpubFixture({
      pages: { "all.xhtml": page },
      toc: [
        ["A Book", "all.xhtml#title"],
        ["One", "all.xhtml#One"],
        ["Two", "all.xhtml#Two"],
      ],
    });
    expect(titles(tree)).toEqual(["One", "Two"]);
    expect(texts(tree)).toEqual(["One", "Text with a link.", "Two", "More."]);
    expect(tree.skipped.map(({ rule, title }) => [rule, title])).toEqual([["titlepage", "A Book"]]);
  });

  it("keeps preface, dedication and epilogue", async () => {
    const names = ["Preface", "Dedication", "One", "Epilogue"];
    const tree = await readEpubFixture({
      pages: Object.fromEntries(
        names.map((name) => [`${name}.xhtml`, `<section epub:type="${name.toLowerCase()}">${chapter(name)}</section>`]),
      ),
      toc: names.map((name) => [name, `${name}.xhtml`] as const),
    });
    expect(titles(tree)).toEqual(names);
  });

  it("leaves out pages that stand outside the reading order", async () => {
    const tree = await readEpubFixture({
      pages: { "1.xhtml": chapter("One"), "extra.xhtml": chapter("Extra") },
      spine: ["1.xhtml", "extra.xhtml!"],
      toc: [["One", "1.xhtml"]],
    });
    expect(titles(tree)).toEqual(["One"]);
    expect(skippedByRule(tree)).toEqual({ "non-linear": countCharacters("Extra Text of Extra.") });
  });
});

describe("metadata of an EPUB", () => {
  it("comes from the package document, not from headings", async () => {
    const tree = await readEpubFixture({
      pages: { "1.xhtml": chapter("Quite Another Title") },
      metadata: `<dc:title id="s">A Subtitle</dc:title><dc:title id="t">The Main Title</dc:title>
        <meta refines="#t" property="title-type">main</meta>
        <dc:creator id="a">Ann Author</dc:creator><meta refines="#a" property="role">aut</meta>
        <dc:creator opf:role="ill">Ike Illustrator</dc:creator><dc:language>en-GB</dc:language>
        <dc:identifier id="other">x</dc:identifier><dc:identifier id="id">urn:isbn:9780000000000</dc:identifier>
        <dc:publisher>House</dc:publisher><dc:date>1895</dc:date><dc:rights>CC0</dc:rights>
        <dc:description>&lt;p&gt;All &lt;b&gt;about&lt;/b&gt; it&lt;/p&gt;</dc:description>`,
    });
    expect(tree.metadata).toEqual({
      title: "The Main Title",
      authors: ["Ann Author"],
      language: "en-GB",
      identifier: "urn:isbn:9780000000000",
      publisher: "House",
      published: "1895",
      rights: "CC0",
      description: "All about it",
    });
  });

  it.each([
    [
      "the properties of the manifest",
      { manifest: '<item id="x" href="c.png" media-type="image/png" properties="cover-image"/>' },
    ],
    [
      "the meta of EPUB 2",
      {
        manifest: '<item id="x" href="c.png" media-type="image/png"/>',
        metadata: '<dc:title>B</dc:title><meta name="cover" content="x"/>',
      },
    ],
    [
      "the guide",
      {
        guide: '<reference type="cover" href="cover.xhtml"/>',
        files: { "OEBPS/cover.xhtml": '<html><body><img src="c.png"/></body></html>' },
      },
    ],
  ])("has the cover named by %s", async (_, named) => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
    const files = { ...("files" in named ? named.files : {}), "OEBPS/c.png": png };
    const tree = await readEpubFixture({ pages: { "1.xhtml": chapter("One") }, ...named, files });
    expect(tree.cover?.mediaType).toBe("image/png");
    expect(Buffer.from(tree.cover?.bytes ?? [])).toEqual(Buffer.from(png));
  });
});

describe("books that cannot be read", () => {
  const files = epubFiles({ pages: { "1.xhtml": chapter("One") } });
  const encryption = (algorithm: string, uri: string): string =>
    `<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData><e:EncryptionMethod Algorithm="${algorithm}"/><e:CipherData><e:CipherReference URI="${uri}"/></e:CipherData></e:EncryptedData></encryption>`;

  it.each([
    ["only images", { "OEBPS/1.xhtml": "<html><body><img src='a.png'/></body></html>" }, "empty-source", /no text/u],
    ["no container", { "META-INF/container.xml": undefined }, "damaged-source", /container/u],
    ["no package document", { "OEBPS/book.opf": undefined }, "damaged-source", /book\.opf/u],
    [
      "an empty spine",
      { "OEBPS/book.opf": "<package><manifest/><spine/></package>" },
      "damaged-source",
      /reading order/u,
    ],
    ["a page that is not there", { "OEBPS/1.xhtml": undefined }, "damaged-source", /1\.xhtml/u],
    ["a path that leads out", { "../evil.txt": "x" }, "damaged-source", /outside/u],
    [
      "text that is encrypted",
      {
        "META-INF/encryption.xml": encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/1.xhtml"),
        "META-INF/rights.xml": "<r/>",
      },
      "encrypted-source",
      /Adobe/u,
    ],
    ["too large a page", { "OEBPS/1.xhtml": "a".repeat(65 * 1024 * 1024) }, "too-large", /unpack/u],
  ])("refuses one with %s", async (_, change, code, message) => {
    const changed = Object.entries({ ...files, ...change }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const failure = readBytes(writeZip(Object.fromEntries(changed)), "b.epub");
    await expect(failure).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
    await expect(failure).rejects.toHaveProperty("cure", expect.stringMatching(/\w/u));
  });

  it("passes obfuscated fonts", async () => {
    const fonts = encryption("http://www.idpf.org/2008/embedding", "OEBPS/f.otf");
    expect(titles(await readBytes(writeZip({ ...files, "META-INF/encryption.xml": fonts }), "b.epub"))).toEqual([
      "One",
    ]);
  });

  it("reads deflated files, and refuses one that unpacks to hundreds of times its size", async () => {
    expect(titles(await readBytes(writeZip(files, true), "b.epub"))).toEqual(["One"]);
    const bomb = writeZip({ ...files, "OEBPS/1.xhtml": " ".repeat(20 * 1024 * 1024) }, true);
    await expect(readBytes(bomb, "b.epub")).rejects.toMatchObject({ code: "too-large" });
  });

  it("refuses a file that unpacks to another size than it says", async () => {
    const bytes = Buffer.from(writeZip({ ...files, "OEBPS/1.xhtml": "a".repeat(5_000) }, true));
    // 5,000 in the central directory becomes 500.
    const size = Buffer.alloc(4);
    size.writeUInt32LE(5_000);
    bytes.writeUInt32LE(500, bytes.lastIndexOf(size));
    await expect(readBytes(bytes, "b.epub")).rejects.toMatchObject({ code: "damaged-source" });
  });

  it("refuses one that is cut short", async () => {
    const bytes = writeZip(files);
    await expect(readBytes(bytes.subarray(0, bytes.length - 60), "b.epub")).rejects.toMatchObject({
      code: "damaged-source",
    });
  });

  it("reads no entity from outside", async () => {
    const page = '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/hostname">]><html><body><p>a &x; b</p></body></html>';
    const tree = await readBytes(writeZip({ ...files, "OEBPS/1.xhtml": page }), "b.epub");
    expect(texts(tree).join(" ")).toContain("&x;");
  });
});

const book = fileURLToPath(new URL("../../../../../shared/books/the-time-machine.epub", import.meta.url));
describe.skipIf(!existsSync(book) && process.env["KATARI_REQUIRE_ALL"] !== "1")(
  "The Time Machine (needs ../shared)",
  () => {
    it("is twelve chapters and an epilogue, with all else left out by name", async () => {
      const tree = await readSource({ path: book, fileName: "the-time-machine.epub" });
      expect(titles(tree)).toEqual([
        "I",
        "II",
        "III",
        "IV",
        "V",
        "VI",
        "VII",
        "VIII",
        "IX",
        "X",
        "XI",
        "XII",
        "Epilogue",
      ]);
      expect(tree.skipped.filter(({ title }) => title !== undefined).map(({ rule, title }) => [rule, title])).toEqual([
        ["titlepage", "Titlepage"],
        ["imprint", "Imprint"],
        ["endnotes", "Endnotes"],
        ["colophon", "Colophon"],
        ["copyright-page", "Uncopyright"],
      ]);
      expect(tree.skipped.filter(({ rule }) => rule === "note-reference")).toHaveLength(1);
      expect(tree.metadata).toMatchObject({ title: "The Time Machine", authors: ["H. G. Wells"], language: "en-GB" });
      expect(tree.cover?.mediaType).toBe("image/jpeg");
    });
  },
);

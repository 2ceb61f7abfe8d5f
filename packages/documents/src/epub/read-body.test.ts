import { describe, expect, it } from "vitest";
import { outline, readOnePage, skippedByRule, texts } from "../epub.fixture.ts";

const blocksOf = async (body: string): Promise<[string, string][]> => outline(await readOnePage(body))[0]?.blocks ?? [];

describe("the body of a page", () => {
  it("keeps text in div, in p and bare text, once and in order", async () => {
    expect(await blocksOf("<div>A</div><p>B</p>bare C")).toEqual([
      ["paragraph", "A"],
      ["paragraph", "B"],
      ["paragraph", "bare C"],
    ]);
  });

  it("reads a paragraph in a list item once", async () => {
    expect(await blocksOf("<ul><li><p>One</p></li><li>Two</li></ul>")).toEqual([
      ["list-item", "One"],
      ["list-item", "Two"],
    ]);
  });

  it("keeps the numbers of an ordered list beside its items", async () => {
    const tree = await readOnePage(
      "<ol start='3'><li>Mix</li><li><p>Bake</p><p>long</p></li></ol><ul><li>Eat</li></ul>",
    );
    expect(tree.documents[0]?.blocks.map(({ text, marker }) => [text, marker])).toEqual([
      ["Mix", "3"],
      ["Bake", "4"],
      ["long", undefined],
      ["Eat", undefined],
    ]);
  });

  it("keeps text below and above the line", async () => {
    expect(await blocksOf("<p>v<sub>1</sub> = x<sup>2</sup></p>")).toEqual([["paragraph", "v1 = x2"]]);
  });

  it("never splits a sentence or a word at an inline element", async () => {
    const tree = await readOnePage("<p>Der <span>Cravech</span> kam <em>heu</em>te.</p>");
    expect(texts(tree)).toEqual(["Der Cravech kam heute."]);
    expect(tree.documents[0]?.blocks[0]?.spans).toEqual([{ kind: "emphasis", start: 16, end: 19 }]);
  });

  it("keeps a heading apart from the paragraph after it", async () => {
    const tree = await readOnePage("<h2>Chapter One</h2><p>It was dark.</p>");
    expect(tree.documents[0]?.blocks.map(({ kind, level, text }) => [kind, level, text])).toEqual([
      ["heading", 2, "Chapter One"],
      ["paragraph", undefined, "It was dark."],
    ]);
  });

  it("joins the two lines of a heading", async () => {
    expect(await blocksOf("<h1>Chapter One<br/>The Door</h1><p>x</p>")).toEqual([
      ["heading", "Chapter One The Door"],
      ["paragraph", "x"],
    ]);
  });

  it("leaves out a footnote in the body, hidden or not", async () => {
    const tree = await readOnePage(
      '<p>seen</p><aside epub:type="footnote" hidden="">secret</aside><div role="doc-footnote">note</div>',
    );
    expect(texts(tree)).toEqual(["seen"]);
    expect(skippedByRule(tree)).toEqual({ footnote: 10 });
  });

  it.each([
    ["the hidden attribute", '<p hidden="">secret</p>'],
    ["display: none", '<p style="color:red; display:none">secret</p>'],
    ["aria-hidden", '<span aria-hidden="true">secret</span>'],
  ])("leaves out what is hidden by %s", async (_, hidden) => {
    const tree = await readOnePage(`${hidden}<p>seen</p>`);
    expect(texts(tree)).toEqual(["seen"]);
    expect(skippedByRule(tree)).toEqual({ hidden: 6 });
  });

  it.each([
    ["epub:type", '<a epub:type="noteref" href="n.xhtml#n1">1</a>', 1],
    ["role", '<a role="doc-noteref" href="#n1">12</a>', 2],
    ["a raised link", '<sup><a href="#n1">3</a></sup>', 1],
    ["a link around a raised mark", '<a href="#n1"><sup>*</sup></a>', 1],
    ["a link in brackets", '<a href="#n1">[15]</a>', 4],
  ])("leaves out a reference to a note by %s", async (_, reference, characters) => {
    const tree = await readOnePage(`<p>The floor${reference} sloped.</p>`);
    expect(texts(tree)).toEqual(["The floor sloped."]);
    expect(skippedByRule(tree)).toEqual({ "note-reference": characters });
  });

  it("keeps links that are words, and raised text that is no link", async () => {
    expect(await blocksOf('<p>See <a href="#x">chapter 2</a>, the 2<sup>nd</sup>.</p>')).toEqual([
      ["paragraph", "See chapter 2, the 2nd."],
    ]);
  });

  it("leaves out printed page numbers inside a sentence", async () => {
    const tree = await readOnePage(
      '<p>One <span class="pagenum">[Pg 5]</span>two <span epub:type="pagebreak">6</span>three.</p>',
    );
    expect(texts(tree)).toEqual(["One two three."]);
    expect(skippedByRule(tree)).toEqual({ "page-number": 6 });
  });

  it("reads text that was escaped twice as it was meant, except in code", async () => {
    const tree = await readOnePage("<p>It&amp;apos;s Jack &amp;amp; Jones&amp;#8212;<code>&amp;amp;</code></p>");
    expect(texts(tree)).toEqual(["It's Jack & Jones—&amp;"]);
    // `apos;`, `amp;` and `#8212;` are what stands too much.
    expect(skippedByRule(tree)).toEqual({ "escaped-twice": 5 + 4 + 6 });
  });

  it("keeps & and < of the text as characters", async () => {
    expect(await blocksOf("<p>Jack &amp; Jones &lt;3 SSML</p>")).toEqual([["paragraph", "Jack & Jones <3 SSML"]]);
  });

  it("keeps base text on display with its reading beside it", async () => {
    const tree = await readOnePage("<p>その<ruby>憂鬱<rp>（</rp><rt>ゆううつ</rt><rp>）</rp></ruby>な朝</p>");
    expect(texts(tree)).toEqual(["その憂鬱な朝"]);
    expect(tree.documents[0]?.blocks[0]?.spans).toEqual([{ kind: "ruby", start: 2, end: 4, value: "ゆううつ" }]);
    expect(skippedByRule(tree)).toEqual({ "ruby-reading": 6 });
  });

  it("pairs readings with single characters", async () => {
    for (const ruby of ["憂<rt>ゆう</rt>鬱<rt>うつ</rt>", "<rb>憂</rb><rb>鬱</rb><rt>ゆう</rt><rt>うつ</rt>"]) {
      const tree = await readOnePage(`<p><ruby>${ruby}</ruby>な朝</p>`);
      expect(texts(tree)).toEqual(["憂鬱な朝"]);
      expect(tree.documents[0]?.blocks[0]?.spans).toEqual([
        { kind: "ruby", start: 0, end: 1, value: "ゆう" },
        { kind: "ruby", start: 1, end: 2, value: "うつ" },
      ]);
    }
  });

  it.each([
    ["学校", "school"],
    ["北京", "běijīng"],
  ])("reads the base %s and not its gloss %s", async (base, gloss) => {
    const tree = await readOnePage(`<p><ruby>${base}<rt>${gloss}</rt></ruby></p>`);
    expect(texts(tree)).toEqual([base]);
    expect(tree.documents[0]?.blocks[0]?.spans).toEqual([]);
    expect(skippedByRule(tree)).toEqual({ "ruby-gloss": gloss.length });
  });

  it("keeps the lines of verse, and only of verse", async () => {
    const verse = '<blockquote epub:type="z3998:verse"><p><span>One,</span>\n<br/>\n<span>two.</span></p></blockquote>';
    expect(await blocksOf(`${verse}<p>Three<br/>four</p>`)).toEqual([
      ["verse", "One,\ntwo."],
      ["paragraph", "Three four"],
    ]);
  });

  it("takes two line breaks for the end of a paragraph", async () => {
    expect(await blocksOf("<div>One.<br/><br/>Two.<br/>\n<br/>Three.</div>")).toEqual([
      ["paragraph", "One."],
      ["paragraph", "Two."],
      ["paragraph", "Three."],
    ]);
  });

  it("makes a scene break of a rule and of an ornament, and keeps silent speech", async () => {
    expect(await blocksOf("<p>a</p><hr/><p>b</p><p>* * *</p><p>c</p><p>……</p><p>！！！</p>")).toEqual([
      ["paragraph", "a"],
      ["scene-break", ""],
      ["paragraph", "b"],
      ["scene-break", ""],
      ["paragraph", "c"],
      ["paragraph", "……"],
      ["paragraph", "！！！"],
    ]);
  });

  it("reads a row of a table cell by cell, and a table that lays out a page as what it holds", async () => {
    const rows = "<table><tr><th>Name</th><th>Age</th></tr><tr><td><p>Ann</p></td><td>40</td></tr></table>";
    expect(await blocksOf(`${rows}<table><tr><td><p>One.</p><p>Two.</p></td></tr></table>`)).toEqual([
      ["table-row", "Name\nAge"],
      ["table-row", "Ann\n40"],
      ["paragraph", "One."],
      ["paragraph", "Two."],
    ]);
  });

  it("marks another language, on blocks and inside them", async () => {
    const tree = await readOnePage('<p>He said <i xml:lang="fr">bonjour</i>.</p><p lang="de">Guten Tag.</p>');
    const [first, second] = tree.documents[0]?.blocks ?? [];
    expect(first?.spans).toEqual([
      { kind: "emphasis", start: 8, end: 15 },
      { kind: "language", start: 8, end: 15, value: "fr" },
    ]);
    expect([first?.language, second?.language]).toEqual([undefined, "de"]);
  });

  it("drops soft hyphens and word joiners from words, by rule", async () => {
    const tree = await readOnePage("<p>im\u00ADpos\u00ADsible way\u2060—mark\u00AD\nhere</p>");
    expect(texts(tree)).toEqual(["impossible way—mark here"]);
    expect(skippedByRule(tree)).toEqual({ "invisible-character": 4 });
  });

  it("counts the text of scripts and pictures as skipped", async () => {
    const tree = await readOnePage("<p>a</p><script>let b;</script><svg><text>cd</text></svg>");
    expect(texts(tree)).toEqual(["a"]);
    expect(skippedByRule(tree)).toEqual({ script: 5, "image-text": 2 });
  });

  it("names the element of a block for read-along output", async () => {
    const tree = await readOnePage('<section id="s"><p id="p1">a</p><p>b</p></section>');
    expect(tree.documents[0]?.blocks.map(({ anchor }) => anchor.elementId)).toEqual(["p1", "s"]);
  });
});

describe("pages that are not well-formed", () => {
  it("reads elements that close themselves as XML does", async () => {
    const page =
      '<html xmlns="x"><head><title/><script src="x"/></head><body><p><a id="a"/>One<i/> two.</p></body></html>';
    expect(texts(await readOnePage(page))).toEqual(["One two."]);
    // The same with an error that no XML parser passes.
    expect(texts(await readOnePage(page.replace("two.", "two & three.<br>")))).toEqual(["One two & three."]);
  });

  it("knows the named characters of HTML", async () => {
    expect(await blocksOf("<p>caf&eacute;&nbsp;&mdash; d&rsquo;or</p>")).toEqual([["paragraph", "café — d’or"]]);
  });

  it("reads tag soup and loses nothing", async () => {
    expect(await blocksOf("<p>One<p>Two <b>bold<div>Three</div>")).toEqual([
      ["paragraph", "One"],
      ["paragraph", "Two bold"],
      ["paragraph", "Three"],
    ]);
  });

  it("refuses nesting that would exhaust the stack", async () => {
    await expect(readOnePage(`${"<div>".repeat(100_000)}x`)).rejects.toMatchObject({ code: "too-large" });
  });
});

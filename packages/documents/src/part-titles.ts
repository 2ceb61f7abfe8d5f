/** Titles that parts which are not narrated go by, folded: lower case, no punctuation at the ends. */
const leftOut = new Map<string, string>(
  Object.entries({
    cover: "cover couverture cubierta copertina umschlag titelbild 表紙 カバー",
    titlepage:
      "titlepage|title page|half title|halftitle|page de titre|titelseite|titelblatt|portada|frontespizio|扉|中扉|本扉",
    "copyright-page":
      "copyright|copyright page|copyright notice|copyright information|uncopyright|legal notice|rights|mentions légales|impressum|créditos|página de créditos|著作権|著作権表示|コピーライト",
    imprint: "imprint",
    colophon: "colophon|奥付|奥附|colophon page",
    toc: "contents|table of contents|toc|inhalt|inhaltsverzeichnis|table des matières|sommaire|índice|indice|sommario|目次|目録|もくじ",
    endnotes:
      "endnotes|notes|footnotes|end notes|chapter notes|anmerkungen|endnoten|fußnoten|notes de fin|notas|note|注|註|注釈|脚注|訳注",
    index: "index|register|sachregister|personenregister|索引",
    bibliography: "bibliography|works cited|literaturverzeichnis|bibliographie|bibliografía|参考文献|主要参考文献",
    "list-of-illustrations":
      "illustrations|list of illustrations|list of figures|list of tables|list of maps|abbildungsverzeichnis|table des illustrations",
    advertisement:
      "also by the author|also by this author|by the same author|other books by the author|books by this author|newsletter|advertisement|advertisements|du même auteur",
    "about-the-publisher": "about the publisher|about standard ebooks",
    "transcriber-note": "transcriber's note|transcriber's notes|transcriber’s note|transcriber’s notes",
    "gutenberg-licence":
      "the full project gutenberg license|the full project gutenberg™ license|project gutenberg license|full project gutenberg license",
  }).flatMap(([rule, titles]) =>
    titles.split(titles.includes("|") ? "|" : " ").map((title): [string, string] => [title, rule]),
  ),
);

/** The rule by which a part with this title is not narrated, or undefined for a part that is. */
export function titleRule(title: string): string | undefined {
  const folded = title
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\s+/gu, " ")
    .replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, "");
  return leftOut.get(folded);
}

#!/usr/bin/env python3
"""Count the characters of a source, independently of Katari.

usage: count-source.py FILE

Prints {"files": [{"path", "characters"}], "total"}. A character is a code point that is not white space. For an EPUB,
the characters of a file are those of all text inside its body, for every page that the spine names, read or not; for
any other file, those of the decoded text. Uses the Python standard library only.
"""
import html
import html.entities
import html.parser
import json
import posixpath
import re
import sys
import urllib.parse
import xml.parsers.expat
import zipfile
from xml.etree import ElementTree

# White space of ECMAScript (WhiteSpace and LineTerminator), which Katari's counts are defined by.
SPACE = set("\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff") | {chr(c) for c in range(0x2000, 0x200B)}


def characters(text):
    return sum(1 for character in text if character not in SPACE)


def decode(data):
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    for encoding in ("utf-8-sig", "cp932", "euc_jp"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("cp1252", errors="replace")


def body_of_xml(data):
    """Text inside the body of well-formed XHTML."""
    text = decode(data)
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
    text = re.sub(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]*;)", named, text)
    parts, inside, seen = [], [], []

    def start(name, _):
        if name.split(":")[-1].lower() == "body":
            inside.append(name)
            seen.append(name)

    def end(name):
        if name.split(":")[-1].lower() == "body" and inside:
            inside.pop()

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda chunk: parts.append(chunk) if inside else None
    parser.Parse(text.encode(), True)
    if not seen:
        raise ValueError("no body")
    return "".join(parts)


def named(match):
    value = html.entities.html5.get(match.group(1))
    if value is None:
        raise ValueError("unknown entity " + match.group(0))
    return "".join(f"&#{ord(character)};" for character in value)


class BodyParser(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.inside = False
        self.parts = []

    def handle_starttag(self, tag, attrs):
        self.inside = self.inside or tag == "body"

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_data(self, data):
        if self.inside:
            self.parts.append(data)


def body_text(data):
    try:
        return body_of_xml(data)
    except (ValueError, xml.parsers.expat.ExpatError):
        parser = BodyParser()
        parser.feed(decode(data))
        parser.close()
        return "".join(parser.parts)


def local(element):
    return element.tag.split("}")[-1] if isinstance(element.tag, str) else ""


def spine(archive):
    """Paths of the pages that the spine names, in order."""
    container = ElementTree.fromstring(archive.read("META-INF/container.xml"))
    package = next(e.get("full-path") for e in container.iter() if local(e) == "rootfile")
    root = ElementTree.fromstring(archive.read(package))
    items = {e.get("id"): e for e in root.iter() if local(e) == "item"}
    paths = []
    for reference in (e for e in root.iter() if local(e) == "itemref"):
        href = urllib.parse.unquote(items[reference.get("idref")].get("href").split("#")[0])
        path = posixpath.normpath(posixpath.join(posixpath.dirname(package), href))
        if path not in paths:
            paths.append(path)
    return paths


def count(path):
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return [{"path": page, "characters": characters(body_text(archive.read(page)))} for page in spine(archive)]
    with open(path, "rb") as file:
        return [{"path": posixpath.basename(path), "characters": characters(decode(file.read()))}]


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    files = count(sys.argv[1])
    print(json.dumps({"files": files, "total": sum(file["characters"] for file in files)}, ensure_ascii=False))


if __name__ == "__main__":
    main()

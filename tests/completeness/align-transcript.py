#!/usr/bin/env python3
"""Find sentences that are missing from a transcript.

usage: align-transcript.py (--epub FILE --entry PATH | --sentences FILE) (--transcript FILE [--json] | --print)

Aligns what a speech recogniser heard with the sentences of a page of an EPUB (or of a text file, one paragraph a line),
word by word, and prints for every sentence of four or more words the share of its words that was not heard. Exits with
1 when over half of one sentence is missing, with 2 when it is used wrongly. --print only prints the text that is looked
for, a paragraph a line: the reference of a word error rate. Case, punctuation, figures and words for
numbers, British and American spelling, and words heard slightly wrong do not count. The sentences are found here, by
rules of this script's own, not by Katari. Uses the Python standard library only.
"""
import argparse
import difflib
import html.entities
import json
import re
import sys
import unicodedata
import zipfile
from xml.etree import ElementTree

LEAST_WORDS = 4
MOST_MISSING = 0.5
BLOCKS = set("p h1 h2 h3 h4 h5 h6 li dt dd div blockquote section article header footer td th tr table figcaption pre body hr".split())
ABBREVIATIONS = set("mr mrs ms messrs dr st prof rev hon capt col gen lt sgt jr sr ed vol no fig p pp vs etc cf al approx".split())
TITLES = {"mr": "mister", "mrs": "missus", "dr": "doctor", "st": "saint", "no": "no", "prof": "professor"}
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}
SPELLING = [
    (re.compile(pattern), replacement)
    for pattern, replacement in [
        (r"(?<=\w\w)our(?=s$|ed$|ing$|ful$|less$|able$|ite$|ites$|hood$|ly$|$)", "or"),
        (r"(?<=\w\w\w)is(?=e$|es$|ed$|ing$|ation$|ations$|er$|ers$)", "iz"),
        (r"(?<=\w\w\w)ys(?=e$|es$|ed$|ing$)", "yz"),
        (r"ll(?=ed$|ing$|er$|ers$)", "l"),
        (r"(?<=cent|thea|.met|.lit)re(?=s?$)", "er"),
        (r"^grey", "gray"),
        (r"ae|oe", "e"),
        (r"wards$", "ward"),
        (r"ogue(?=s?$)", "og"),
    ]
]


def number_words(number):
    if number < 20:
        return [ONES[number]]
    if number < 100:
        return [TENS[number // 10]] + ([ONES[number % 10]] if number % 10 else [])
    for size, name in ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            return number_words(number // size) + [name] + (number_words(rest) if rest else [])
    return []


def year_words(number):
    century, rest = divmod(number, 100)
    if not rest:
        return number_words(century) + ["hundred"]
    return number_words(century) + (["oh"] if rest < 10 else []) + number_words(rest)


def figures(text):
    """Figures as words: years in pairs, money with its unit after it, ordinals, decimals digit by digit."""

    def said(match):
        sign, digits, decimals, ordinal = match.group(1), match.group(2).replace(",", ""), match.group(3), match.group(4)
        if len(digits) > 12:
            return " ".join(ONES[int(digit)] for digit in digits)
        number = int(digits)
        plain = not sign and not decimals and not ordinal and "," not in match.group(2)
        words = year_words(number) if plain and 1100 <= number <= 1999 else number_words(number)
        if decimals:
            words = words + ["point"] + [ONES[int(digit)] for digit in decimals[1:]]
        if ordinal:
            last = words[-1]
            words = words[:-1] + [ORDINALS.get(last, re.sub("y$", "ie", last) + "th")]
        if sign:
            words = words + [{"$": "dollars", "£": "pounds", "€": "euros"}[sign]]
        return " " + " ".join(words) + " "

    return re.sub(r"([$£€])?(\d[\d,]*)(\.\d+)?(st\b|nd\b|rd\b|th\b)?", said, text)


def fold(text):
    """The words of a text in the form in which two spellings of one spoken word are equal."""
    text = unicodedata.normalize("NFKC", text).lower().replace("’", "'").replace("&", " and ").replace("%", " percent ")
    text = re.sub(r"[\u00ad\u200b\u2060]", "", text)
    text = re.sub(r"\ba (?=hundred|thousand|million)", "one ", figures(text))
    text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c) or ord(c) > 0x3000)
    text = unicodedata.normalize("NFC", text)
    text = re.sub(r"\b((?:[a-z]\.){2,})", lambda match: match.group(1).replace(".", ""), text)
    words = re.findall(r"[\u3040-\u30ff\u3400-\u9fff]|[a-z0-9']+|[^\W\d_]+", text)
    return [folded for folded in (fold_word(word) for word in words) if folded]


def fold_word(word):
    word = word.replace("'", "")
    word = TITLES.get(word, word)
    for pattern, replacement in SPELLING:
        word = pattern.sub(replacement, word)
    # Recognisers write "one hundred two" and drop articles.
    return "" if word in ("and", "a", "an") else word


def split_sentences(paragraph):
    """Sentences of one paragraph: cut after a stop (and what closes after it) before what can begin a sentence."""
    paragraph = re.sub(r"\s+", " ", paragraph).strip()
    sentences, start = [], 0
    for match in re.finditer(r"([.!?…]+)[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9À-Þ])|[。！？]+[」』）]*", paragraph):
        before = re.search(r"([\w.]+)$", paragraph[start : match.start()])
        last = before.group(1).lower() if before else ""
        if match.group(1) == "." and (last in ABBREVIATIONS or re.fullmatch(r"[a-z]|(?:[a-z]\.)+[a-z]", last)):
            continue
        sentences.append(paragraph[start : match.end()].strip())
        start = match.end()
    sentences.append(paragraph[start:].strip())
    return [sentence for sentence in sentences if sentence]


def paragraphs_of_page(data):
    """Paragraphs of an XHTML page without references to notes, notes and page numbers."""
    text = data.decode("utf-8-sig")
    text = re.sub(r"<!DOCTYPE[^>]*>", "", text)
    known = {"amp", "lt", "gt", "quot", "apos"}
    text = re.sub(
        r"&([A-Za-z]\w*);",
        lambda m: m.group(0) if m.group(1) in known else html.entities.html5.get(m.group(1) + ";", " "),
        text,
    )
    root = ElementTree.fromstring(text.encode())
    body = next((e for e in root.iter() if name_of(e) == "body"), root)
    paragraphs, run = [], []

    def flush():
        paragraphs.append("".join(run))
        run.clear()

    def visit(element):
        name = name_of(element)
        types = (element.get("{http://www.idpf.org/2007/ops}type") or "").split()
        left_out = {"noteref", "footnote", "endnote", "rearnote", "pagebreak", "backlink"} & set(types)
        if not left_out and name not in ("script", "style", "rt", "rp"):
            if name in BLOCKS:
                flush()
            run.append(" " if name == "br" else "")
            run.append(element.text or "")
            for child in element:
                visit(child)
            if name in BLOCKS:
                flush()
        run.append(element.tail or "")

    visit(body)
    flush()
    return [paragraph for paragraph in paragraphs if paragraph.strip()]


def name_of(element):
    return element.tag.split("}")[-1].lower() if isinstance(element.tag, str) else ""


def read_entry(path, entry):
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name == entry or name.endswith("/" + entry)]
        if len(names) != 1:
            sys.exit(f"{len(names)} entries of {path} are called {entry}")
        return archive.read(names[0])


def heard_words(expected, heard):
    """For every expected word, whether the transcript has it at its place in the order."""
    present = [False] * len(expected)
    matcher = difflib.SequenceMatcher(None, expected, heard, autojunk=False)
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            present[a1:a2] = [True] * (a2 - a1)
        elif kind == "replace":
            for index, near in enumerate(nearly_heard(expected[a1:a2], heard[b1:b2])):
                present[a1 + index] = near
    return present


def nearly_heard(expected, heard):
    """Words that were misheard or written together differently: most of their letters are there, in order."""
    wanted, got = "".join(expected), "".join(heard)
    if len(got) < len(wanted) / 2 or len(got) > 2 * len(wanted) + 10:
        return [False] * len(expected)
    matched = [False] * len(wanted)
    for block in difflib.SequenceMatcher(None, wanted, got, autojunk=False).get_matching_blocks():
        matched[block.a : block.a + block.size] = [True] * block.size
    result, at = [], 0
    for word in expected:
        result.append(sum(matched[at : at + len(word)]) >= 0.5 * len(word))
        at += len(word)
    return result


def align(paragraphs, transcript):
    sentences = [sentence for paragraph in paragraphs for sentence in split_sentences(paragraph)]
    folded = [fold(sentence) for sentence in sentences]
    present = heard_words([word for words in folded for word in words], fold(transcript))
    rows, at = [], 0
    for sentence, words in zip(sentences, folded):
        missing = sum(not heard for heard in present[at : at + len(words)])
        at += len(words)
        if len(words) >= LEAST_WORDS:
            share = round(missing / len(words), 3)
            rows.append({"text": sentence, "words": len(words), "missing": missing, "share": share})
    return {
        "sentences": rows,
        "failed": [row for row in rows if row["share"] > MOST_MISSING],
        "words": len(present),
        "missing": sum(not heard for heard in present),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epub")
    parser.add_argument("--entry")
    parser.add_argument("--sentences")
    parser.add_argument("--transcript")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if bool(options.epub and options.entry) == bool(options.sentences):
        parser.error("give either --epub with --entry, or --sentences")
    if bool(options.transcript) == options.print:
        parser.error("give either --transcript or --print")
    if options.sentences:
        with open(options.sentences, encoding="utf-8-sig") as file:
            paragraphs = [line for line in file.read().splitlines() if line.strip()]
    else:
        paragraphs = paragraphs_of_page(read_entry(options.epub, options.entry))
    if options.print:
        print("\n".join(re.sub(r"\s+", " ", paragraph).strip() for paragraph in paragraphs))
        return
    with open(options.transcript, encoding="utf-8-sig") as file:
        result = align(paragraphs, file.read())
    if not result["sentences"]:
        sys.exit(f"there is no sentence of {LEAST_WORDS} or more words to look for")
    if options.json:
        print(json.dumps(result, ensure_ascii=False))
    else:
        for row in result["sentences"]:
            print(f"{'MISSING' if row['share'] > MOST_MISSING else '':8}{row['share']:6.1%}  {row['text']}")
        total = len(result["sentences"])
        print(f"{len(result['failed'])} of {total} sentences missing, {result['missing']} of {result['words']} words")
    sys.exit(1 if result["failed"] else 0)


if __name__ == "__main__":
    main()

/** A place between words: what it is for the voice, and which side it stands on. */
export interface Mark {
  readonly end: number;
  readonly symbol: string;
  readonly side: "before" | "after";
}

const after: Readonly<Record<string, string>> = {
  ",": ",",
  "、": ",",
  "，": ",",
  "،": ",",
  ";": ";",
  "；": ";",
  "؛": ";",
  ":": ":",
  "：": ":",
  ".": ".",
  "。": ".",
  "．": ".",
  "｡": ".",
  "।": ".",
  "॥": ".",
  "۔": ".",
  "!": "!",
  "！": "!",
  "‼": "!",
  "?": "?",
  "？": "?",
  "؟": "?",
  "⁇": "?",
  "⁈": "?",
  "⁉": "!",
  "…": "…",
  "‥": "…",
  "‽": "?",
  "—": "—",
  "–": "—",
  "―": "—",
  "⸺": "—",
  "⸻": "—",
  "─": "—",
  "・": ",",
  "•": ",",
  "·": ",",
  "|": ",",
  "~": "—",
  "〜": "—",
  "～": "—",
  "/": ",",
  "\\": ",",
  ")": ")",
  "]": ")",
  "}": ")",
  "）": ")",
  "】": ")",
  "〕": ")",
  "》": ")",
  "〉": ")",
  "”": "”",
  "»": "”",
  "›": "”",
  "」": "”",
  "』": "”",
  "″": "”",
};
const before: Readonly<Record<string, string>> = {
  "(": "(",
  "[": "(",
  "{": "(",
  "（": "(",
  "【": "(",
  "〔": "(",
  "《": "(",
  "〈": "(",
  "“": "“",
  "„": "“",
  "‟": "“",
  "«": "“",
  "‹": "“",
  "「": "“",
  "『": "“",
  "‘": "“",
  "‚": "“",
  "‛": "“",
  "`": "“",
};

/** Reads one mark at a place; what is no mark of speech (ornaments, signs of markup, invisible characters) is empty. */
export function markAt(text: string, at: number): Mark {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const end = at + character.length;
  if (character === ".") {
    let stop = end;
    // `. . .` is an ellipsis too.
    for (;;) {
      if (text[stop] === ".") stop++;
      else if (/^[^\S\n]\./u.test(text.slice(stop, stop + 2))) stop += 2;
      else break;
    }
    return { end: stop, symbol: stop - at > 1 ? "…" : ".", side: "after" };
  }
  if (character === "-" || character === "‐" || character === "‑" || character === "−") {
    let stop = end;
    while (text[stop] === "-") stop++;
    const spaced = /^\s?$/.test(text[at - 1] ?? "") || /^\s?$/.test(text[stop] ?? "");
    // `up- and downhill`: the hyphen stands for the rest of a word.
    const hangs =
      stop - at === 1 && /\p{L}/u.test(text[at - 1] ?? "") && /^\s(?:and|or|to)\s/u.test(text.slice(stop, stop + 5));
    return { end: stop, symbol: !hangs && (stop - at > 1 || spaced) ? "—" : "", side: "after" };
  }
  if (character === '"' || character === "'" || character === "＂" || character === "＇") {
    const opens = /^[\s([{“‘—–-]?$/u.test(text[at - 1] ?? "") && !/^\s?$/u.test(text[end] ?? "");
    return { end, symbol: opens ? "“" : "”", side: opens ? "before" : "after" };
  }
  if (character === "’") return { end, symbol: "”", side: "after" };
  const closing = after[character];
  if (closing !== undefined) return { end, symbol: closing, side: "after" };
  const opening = before[character];
  if (opening !== undefined) return { end, symbol: opening, side: "before" };
  return { end, symbol: "", side: "after" };
}

/** Adds a mark to those that stand already: the same twice, or more than four, says nothing more. */
export function addMark(marks: string, symbol: string): string {
  if (symbol === "" || marks.endsWith(symbol) || marks.length >= 4) return marks;
  // A comma beside a stronger mark is only the rest of a list or a dash.
  if (symbol === "," && /[.;:!?…—]$/.test(marks)) return marks;
  return marks + symbol;
}

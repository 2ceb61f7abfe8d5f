import { cardinalWords, romanValue } from "./number-words.ts";
import { referenceMarkSource } from "../segmentation/reference-marks.ts";
import { lettersOf, unitsOf, type PatternRule } from "./spoken-rule.ts";

const fractions: Readonly<Record<string, string>> = {
  "½": "one half",
  "⅓": "one third",
  "⅔": "two thirds",
  "¼": "one quarter",
  "¾": "three quarters",
  "⅕": "one fifth",
  "⅖": "two fifths",
  "⅗": "three fifths",
  "⅘": "four fifths",
  "⅙": "one sixth",
  "⅚": "five sixths",
  "⅛": "one eighth",
  "⅜": "three eighths",
  "⅝": "five eighths",
  "⅞": "seven eighths",
};

const names: Readonly<Record<string, string>> = {
  "&": "and",
  "%": "percent",
  "‰": "per mille",
  "@": "at",
  "=": "equals",
  "≠": "is not equal to",
  "≈": "is about",
  "≤": "is at most",
  "≥": "is at least",
  "±": "plus or minus",
  "×": "times",
  "÷": "divided by",
  "√": "square root of",
  "∞": "infinity",
  π: "pi",
  "°": "degrees",
  "℃": "degrees Celsius",
  "℉": "degrees Fahrenheit",
  "§": "section",
  "¶": "paragraph",
  "©": "copyright",
  "®": "registered",
  "™": "trademark",
  "№": "number",
  $: "dollar",
  "£": "pound",
  "€": "euro",
  "¥": "yen",
  "￥": "yen",
  "¢": "cents",
  "₹": "rupee",
  "₽": "ruble",
  "²": "squared",
  "³": "cubed",
  "→": "to",
  "♥": "heart",
  "❤": "heart",
};
const perNames: ReadonlyMap<string, string> = new Map([
  ["kg", "kilogram"],
  ["g", "gram"],
  ["lb", "pound"],
  ["km", "kilometer"],
  ["mi", "mile"],
  ["h", "hour"],
  ["hr", "hour"],
  ["s", "second"],
  ["l", "liter"],
  ["ml", "milliliter"],
]);
const one = (list: string): RegExp => new RegExp(`[${list}]`, "uy");

const host = (text: string): string =>
  text.replaceAll(".", " dot ").replaceAll("-", " dash ").replaceAll("_", " underscore ");

/** Rules that begin at a sign, or that take a whole address; in the order in which they are tried. */
export const addressRules: readonly PatternRule[] = [
  {
    name: "url",
    pattern:
      /(?:https?|ftp):\/\/(?:www\.)?([\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,8})(?:[:/?#][^\s<>"“”’)\]]{0,400}(?<![.,;:!?]))?/iuy,
    say: ([, name = ""]) => unitsOf(host(name)),
  },
  {
    name: "url",
    pattern: /www\.([\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8})(?:[:/?#][^\s<>"“”’)\]]{0,400}(?<![.,;:!?]))?/iuy,
    say: ([, name = ""]) => unitsOf(host(name)),
  },
  {
    name: "email",
    pattern: /([\p{L}\p{N}._+-]{1,64})@([\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8})/uy,
    say: ([, name = "", at = ""]) => unitsOf(`${host(name)} at ${host(at)}`),
  },
  {
    name: "url",
    pattern:
      /((?:[\p{L}\p{N}-]{1,63}\.){1,4}(?:(?:co|ac|org|gov|com|net)\.[a-z]{2}|com|org|net|edu|gov))(?![\p{L}\p{N}])(?:\/[^\s<>"“”’)\]]{0,400}(?<![.,;:!?]))?/uy,
    say: ([, name = ""]) => unitsOf(host(name.replace(/^www\./, ""))),
  },
  {
    name: "file-name",
    pattern:
      /([\p{L}][\p{L}\p{N}-]{0,63})\.(com|org|net|edu|gov|io|txt|pdf|html|epub|docx?|jpe?g|png|mp3|js|ts|py)(?![\p{L}\p{N}])/iuy,
    say: ([, name = "", extension = ""]) => unitsOf(`${host(name)} dot ${extension}`),
  },
];

/** Signs that are said, and marks that are not. */
export const symbolRules: readonly PatternRule[] = [
  { name: "reference-mark", pattern: new RegExp(referenceMarkSource, "uy"), say: () => [] },
  { name: "entity", pattern: /&(?:amp;)?amp;/iy, say: () => unitsOf("and") },
  { name: "entity", pattern: /&(?:amp;)?(?:nbsp|quot|apos|lt|gt|shy|zwj|#\d{1,6}|#x[\da-f]{1,5});/iy, say: () => [] },
  {
    name: "section",
    pattern: /§§\s?(?=\d)/y,
    say: () => unitsOf("sections"),
  },
  {
    name: "range",
    pattern: /[–—-](?=\s?\d)/y,
    say: (_, { text, at }) =>
      /\d\s?[ap]\.?m\.?$/i.test(text.slice(Math.max(0, at - 8), at)) ? unitsOf("to") : undefined,
  },
  { name: "about", pattern: /(?<!\d\s?|\p{L})~(?=\d)/uy, say: () => unitsOf("about") },
  { name: "power", pattern: /\^(?=\d)/y, say: () => unitsOf("to the power of") },
  { name: "sharp", pattern: /(?<=(?:^|[^\p{L}])[A-G])[#♯](?!\p{L})/uy, say: () => unitsOf("sharp") },
  {
    name: "minus",
    pattern: /−(?=\s?[\d\p{L}])/uy,
    say: (_, { text, at }) =>
      /[\d\p{L})]\s?$/u.test(text.slice(Math.max(0, at - 2), at)) ? unitsOf("minus") : undefined,
  },
  {
    name: "minus",
    pattern: /[−-](?=\.?\d)/y,
    say: (_, { text, at }) => (at === 0 || /[\s(“"]/.test(text[at - 1] ?? "") ? unitsOf("minus") : undefined),
  },
  {
    name: "vulgar-fraction",
    pattern: one(Object.keys(fractions).join("")),
    say: ([sign = ""], { previous }) =>
      unitsOf(
        /\d$/.test(previous) ? `and ${(fractions[sign] ?? "").replace(/^one (?=h|q)/, "a ")}` : (fractions[sign] ?? ""),
      ),
  },
  { name: "without", pattern: /w\/o(?!\p{L})/uy, say: () => unitsOf("without") },
  { name: "hashtag", pattern: /#(?=\p{L})/uy, say: () => unitsOf("hashtag") },
  { name: "number-sign", pattern: /#\s?(?=\d)/y, say: () => unitsOf("number") },
  { name: "operator", pattern: /\+/y, say: () => unitsOf("plus") },
  {
    name: "operator",
    pattern: /[<>](?=\s?\d)/y,
    say: ([sign]) => unitsOf(sign === "<" ? "less than" : "greater than"),
  },
  {
    name: "operator",
    pattern: /\*(?=\s?\d)/y,
    say: (_, { previous }) => (/\d$/.test(previous) ? unitsOf("times") : undefined),
  },
  {
    name: "per",
    pattern: /\/(kg|g|lb|km|mi|h|hr|s|l|ml|day|week|month|year|hour|minute|second|person)(?![\p{L}\p{N}])/uy,
    say: ([, unit = ""], { previous }) =>
      /\d/.test(previous) ? unitsOf(`per ${perNames.get(unit) ?? unit}`) : undefined,
  },
  {
    name: "slash",
    pattern: /\/(?=\s?[\p{L}\p{N}])/uy,
    say: (_, { previous }) => (previous === "and" ? [] : previous === "" ? undefined : unitsOf("slash")),
  },
  {
    name: "roman-character",
    pattern: /[\u2160-\u217f]+/y,
    say: ([all = ""]) => {
      const value = romanValue(all.normalize("NFKC").toUpperCase());
      return value === undefined ? lettersOf(all.normalize("NFKC")) : unitsOf(cardinalWords(String(value)));
    },
  },
  { name: "symbol", pattern: one(Object.keys(names).join("")), say: ([sign = ""]) => unitsOf(names[sign] ?? "") },
  {
    name: "emoji",
    pattern: /[\p{Emoji_Presentation}](?:\u200d|\ufe0f|\p{Emoji_Modifier}|\p{Extended_Pictographic}){0,12}/uy,
    say: () => unitsOf("emoji"),
  },
];

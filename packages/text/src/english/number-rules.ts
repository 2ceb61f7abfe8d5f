import {
  cardinalWords,
  decimalWords,
  digitWords,
  fractionWords,
  ordinalWords,
  pluralWords,
  yearWords,
} from "./number-words.ts";
import { referenceMarkSource } from "../segmentation/reference-marks.ts";
import { currencies, months, scales, shortUnits, unitNames } from "./measure-names.ts";
import { lettersOf, unitsOf, type PatternRule, type SpokenUnit } from "./spoken-rule.ts";

const monthOf = (start: string): string => Object.values(months).find((name) => name.startsWith(start)) ?? start;
const monthName =
  /^(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?$/i;

const ordinalMonthDay = (month: string, day: string): string =>
  `${months[month.padStart(2, "0")] ?? ""} ${ordinalWords(day)}`;
const compass: Readonly<Record<string, string>> = { N: "north", S: "south", E: "east", W: "west" };
const counted = (number: string, one: string, many: string): string =>
  `${cardinalWords(number)} ${cardinalWords(number) === "one" ? one : many}`;
const unitPattern = Object.keys(unitNames)
  .sort((a, b) => b.length - a.length)
  .join("|");

const number = String.raw`(\d{1,3}(?:,\d{3}){1,5}(?!\d|,\d)|\d+)(?:\.(\d+))?`;
const end = String.raw`(?![\p{L}\p{N}])`;

function amount(whole: string, fraction: string): string {
  return fraction === "" ? cardinalWords(whole) : decimalWords(whole, fraction);
}

function money(symbol: string, whole: string, fraction: string, scale: string): SpokenUnit[] | undefined {
  const names = currencies[symbol];
  if (!names) return undefined;
  if (scale !== "") return unitsOf(`${amount(whole, fraction)} ${scales[scale.toLowerCase()] ?? scale} ${names[1]}`);
  const units = cardinalWords(whole);
  const main = `${units} ${units === "one" ? names[0] : names[1]}`;
  if (fraction.length !== 2) {
    return unitsOf(fraction === "" ? main : `${decimalWords(whole, fraction)} ${names[1]}`);
  }
  if (fraction === "00") return unitsOf(main);
  const minor = cardinalWords(fraction);
  const small = `${minor} ${minor === "one" ? names[2] : names[3]}`;
  return unitsOf(units === "zero" ? small : `${main} and ${small}`);
}

const clock = (hours: string, minutes: string, half: string): SpokenUnit[] => {
  const said =
    minutes === "" || (minutes === "00" && half !== "")
      ? cardinalWords(hours)
      : minutes === "00"
        ? `${cardinalWords(hours)} o'clock`
        : `${cardinalWords(hours)} ${minutes.startsWith("0") ? `oh ${cardinalWords(minutes)}` : cardinalWords(minutes)}`;
  return [...unitsOf(said), ...lettersOf(half)];
};

const isYear = (digits: string): boolean => /^(?:1[1-9]|20)\d\d$/.test(digits);
const plain = (digits: string): string => (isYear(digits) ? yearWords(digits) : cardinalWords(digits));

/** Rules that begin at a digit, a sign before one, or a currency symbol; in the order in which they are tried. */
export const numberRules: readonly PatternRule[] = [
  { name: "reference-mark", pattern: new RegExp(referenceMarkSource, "uy"), say: () => [] },
  {
    name: "money",
    pattern: /£(\d{1,6})[\s,]{1,2}(\d{1,2})s\b\.?(?:\s(\d{1,2})d\b)?/uy,
    abbreviates: true,
    say: ([, pounds = "", shillings = "", pence = ""]) =>
      unitsOf(
        `${counted(pounds, "pound", "pounds")} ${counted(shillings, "shilling", "shillings")}${pence === "" ? "" : ` and ${counted(pence, "penny", "pence")}`}`,
      ),
  },
  {
    name: "money",
    pattern: /(\d{1,2})s\.?\s(\d{1,2})d\b/uy,
    abbreviates: true,
    say: ([, shillings = "", pence = ""]) =>
      unitsOf(`${counted(shillings, "shilling", "shillings")} and ${counted(pence, "penny", "pence")}`),
  },
  {
    name: "money",
    pattern: /(\d{1,3})\s?¢/uy,
    say: ([, cents = ""]) => unitsOf(counted(cents, "cent", "cents")),
  },
  {
    name: "length",
    pattern: /(\d{1,4})\s?['’′](?:\s?(\d{1,2})\s?(?:["”″]|['’′]{2})|(?=\s\p{L}))/uy,
    say: ([, feet = "", inches = ""]) =>
      unitsOf(`${counted(feet, "foot", "feet")}${inches === "" ? "" : ` ${counted(inches, "inch", "inches")}`}`),
  },
  {
    name: "length",
    pattern: /(\d{1,4})\s?″|(?<=(?:^|\s)(?:an?|the|about|of|by)\s)(\d{1,3})"(?=\s\p{Ll})/uy,
    say: ([, prime = "", quote = ""]) => unitsOf(counted(prime || quote, "inch", "inches")),
  },
  {
    name: "angle",
    pattern: /(\d{1,3})°\s?(\d{1,2})['’′](?:\s?(\d{1,2})(?:["”″]|['’′]{2}))?(?:\s?([NSEW])(?!\p{L}))?/uy,
    say: ([, degrees = "", minutes = "", seconds = "", side = ""]) =>
      unitsOf(
        `${counted(degrees, "degree", "degrees")} ${counted(minutes, "minute", "minutes")}${seconds === "" ? "" : ` ${counted(seconds, "second", "seconds")}`} ${compass[side] ?? ""}`,
      ),
  },
  {
    name: "year",
    pattern: /['’‘](\d)(\d)(?![\p{L}\p{N}])/uy,
    say: ([, tens = "", ones = ""]) =>
      unitsOf(tens === "0" ? `oh ${cardinalWords(ones)}` : cardinalWords(`${tens}${ones}`)),
  },
  {
    name: "digits",
    pattern: /\d{1,5}(?:-\d{1,7}){2,5}(?:-[\dX])?(?![\p{L}\p{N}-])|\d{4}(?: \d{4}){2,3}(?![\p{N}])/uy,
    say: ([all = ""]) =>
      /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(all) || all.length < 8
        ? undefined
        : [
            ...unitsOf((all.match(/\d+/g) ?? []).map((digits) => digitWords(digits)).join(" ")),
            ...lettersOf(all.endsWith("X") ? "X" : ""),
          ],
  },
  {
    name: "money",
    pattern: new RegExp(
      String.raw`(?:US|A|C)?([$£€¥￥₹₽])\s?(?:${number}|\.(\d\d)(?!\d))(?:[\s-]?(thousand|million|billion|trillion|mn|bn|tn|[kmb])${end})?`,
      "iuy",
    ),
    say: ([, symbol = "", whole = "", fraction = "", minor = "", scale = ""]) =>
      whole === "" ? money(symbol, "0", minor, scale) : money(symbol, whole, fraction, scale),
  },
  {
    name: "money",
    pattern: new RegExp(String.raw`${number}\s?([£€¥₹₽])`, "uy"),
    say: ([, whole = "", fraction = "", symbol = ""]) => money(symbol, whole, fraction, ""),
  },
  {
    name: "date",
    pattern: /(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?!\d)/y,
    say: ([, year = "", month = "", day = ""]) =>
      unitsOf(`${months[month] ?? ""} ${ordinalWords(day)} ${yearWords(year)}`),
  },
  {
    name: "telephone",
    pattern:
      /(?:\+\d{1,3}[\s.-]?)?(?:\(\d{2,4}\)\s?|\d{3}[.-])?\d{3}[.-]\d{4}(?![\d-])|\+\d[\d\s.()-]{6,18}\d|0\d{2,4}(?: \d{3,4}){1,2}(?!\d)/y,
    say: ([all = ""]) =>
      unitsOf(
        `${all.startsWith("+") ? "plus " : ""}${(all.match(/\d+/g) ?? []).map((digits) => digitWords(digits)).join(" ")}`,
      ),
  },
  {
    name: "date",
    pattern: /(0?[1-9]|1[0-2])\/(0?[1-9]|[12]\d|3[01])\/((?:1[5-9]|20)\d\d)(?![\d/])/y,
    say: ([, month = "", day = "", year = ""]) => unitsOf(`${ordinalMonthDay(month, day)} ${yearWords(year)}`),
  },
  {
    name: "date",
    pattern: /(0?[1-9]|[12]\d|3[01])\/(0?[1-9]|1[0-2])\/((?:1[5-9]|20)\d\d)(?![\d/])/y,
    say: ([, day = "", month = "", year = ""]) => unitsOf(`${ordinalMonthDay(month, day)} ${yearWords(year)}`),
  },
  {
    name: "date",
    pattern:
      /(0?[1-9]|[12]\d|3[01])\s(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?:\.|uary|ruary|ch|il|e|y|ust|t\.?|tember|ober|ember)?(?!-)(?:,?\s((?:1\d|20)\d\d)(?!\d))?(?!\p{L})/uy,
    say: ([, day = "", month = "", year = ""], { previous }) =>
      unitsOf(
        `${/^the$/i.test(previous) ? "" : "the "}${ordinalWords(day)} of ${monthOf(month)}${year === "" ? "" : ` ${yearWords(year)}`}`,
      ),
  },
  {
    name: "time",
    pattern: /(1[0-2]|0?[1-9])\.([0-5]\d)\s?([ap])\.?\s?m(?![\p{L}])/iuy,
    abbreviates: true,
    say: ([, hours = "", minutes = "", half = ""]) => clock(hours, minutes, `${half}m`),
  },
  {
    name: "time",
    pattern: /([01]?\d|2[0-4]):([0-5]\d)(?!\d)(?:\s?([ap])\.?\s?m(?![\p{L}]))?/iuy,
    abbreviates: true,
    say: ([, hours = "", minutes = "", half = ""]) => clock(hours, minutes, half === "" ? "" : `${half}m`),
  },
  {
    name: "time",
    pattern: /(1[0-2]|0?\d)\s?([ap])\.?\s?m(?![\p{L}])/iuy,
    abbreviates: true,
    say: ([, hours = "", half = ""]) => clock(hours, "", `${half}m`),
  },
  {
    // A verse of scripture behind the name of its book, else odds or a ratio.
    name: "ratio",
    pattern: /(\d{1,3}):(\d{1,3})(?![\d:])/y,
    say: ([, one = "", two = ""], { previous }) =>
      unitsOf(`${cardinalWords(one)}${/^\p{Lu}\p{Ll}/u.test(previous) ? "" : " to"} ${cardinalWords(two)}`),
  },
  {
    name: "percent",
    pattern: new RegExp(String.raw`${number}\s?%`, "uy"),
    say: ([, whole = "", fraction = ""]) => unitsOf(`${amount(whole, fraction)} percent`),
  },
  {
    name: "ordinal",
    pattern: new RegExp(String.raw`(\d{1,3}(?:,\d{3}){1,5}(?!\d|,\d)|\d+)(?:st|nd|rd|th)${end}`, "iuy"),
    say: ([, digits = ""]) => unitsOf(ordinalWords(digits)),
  },
  {
    name: "decade",
    pattern: /['’‘]?((?:1[1-9]|20)?\d0)['’]?s(?!\p{L})/uy,
    say: ([, digits = ""]) => unitsOf(pluralWords(plain(digits))),
  },
  {
    name: "measure",
    pattern: new RegExp(String.raw`${number}[\s-]?(${unitPattern})${end}`, "iuy"),
    abbreviates: true,
    say: ([all = "", whole = "", fraction = "", unit = ""]) => {
      const names = unitNames[unit.toLowerCase()];
      // `5 V`, `6 m` and the like are units only when they are written so; a single capital is more often a name.
      if (!names || /^[MG]$/.test(unit) || (/^[LW]$/.test(unit) && /\s/.test(all))) return undefined;
      const said = amount(whole, fraction);
      return unitsOf(`${said} ${said === "one" ? names[0] : names[1]}`);
    },
  },
  {
    name: "version",
    pattern: /v?(\d+(?:\.\d+){2,5})(?![\p{L}\p{N}])/uy,
    say: ([, all = ""]) => unitsOf(all.split(".").map(cardinalWords).join(" point ")),
  },
  {
    name: "duration",
    pattern: /(\d{1,3})\s?(min|mins|hr|hrs|sec|secs|in)(?=\.(?:[,;:)]|\s+[\p{Ll}\d]))/uy,
    abbreviates: true,
    say: ([, whole = "", unit = ""]) => {
      const [one = "", many = ""] = shortUnits.get(unit.replace(/s$/, "")) ?? [];
      const said = cardinalWords(whole);
      return unitsOf(`${said} ${said === "one" ? one : many}`);
    },
  },
  {
    name: "set-phrase",
    pattern: /24\/7(?![\d/])|9\/11(?![\d/])/y,
    say: ([all = ""]) => unitsOf(all.split("/").map(cardinalWords).join(" ")),
  },
  {
    name: "fraction",
    pattern: /(\d{1,3})\/(\d{1,3})(?![\d/])(?:ths?|rds?|nds?)?(?!\p{L})/uy,
    say: ([, numerator = "", denominator = ""]) =>
      denominator === "0" || denominator === "1" ? undefined : unitsOf(fractionWords(numerator, denominator)),
  },
  {
    name: "score",
    pattern: /(\d{1,3}\.\d)\/(5|10|100)(?![\d/]|\.\d)/y,
    say: ([, got = "", all = ""]) =>
      unitsOf(`${decimalWords(got.split(".")[0] ?? "", got.split(".")[1] ?? "")} out of ${cardinalWords(all)}`),
  },
  {
    name: "grouped-number",
    pattern: /\d{1,3}(?: 000){1,4}(?! ?\d)|\d{1,3}(?: \d{3}){2,4}(?! ?\d)/y,
    say: ([all = ""]) => unitsOf(cardinalWords(all.replaceAll(" ", ""))),
  },
  {
    name: "scale",
    pattern: /(\d{1,4})(?:\.(\d{1,3}))?(bn|tn|mn)(?![\p{L}\p{N}])/uy,
    say: ([, whole = "", fraction = "", scale = ""]) => unitsOf(`${amount(whole, fraction)} ${scales[scale] ?? ""}`),
  },
  {
    name: "range",
    pattern: /(\d{1,4})\s?[–—~〜～-]\s?(\d{1,4})(?![\p{L}\p{N}-]|\.\d|,\d)/uy,
    say: ([, from = "", to = ""], { previous }) =>
      unitsOf(`${plain(from)} ${/^between$/i.test(previous) ? "and" : "to"} ${plain(to)}`),
  },
  {
    name: "decimal",
    pattern: /(\d{1,3}(?:,\d{3}){1,5}(?!\d|,\d)|\d+)?\.(\d{1,30})(?!\d)/y,
    // `all.1` is a word, a stop and a note, not a decimal.
    say: ([, whole = "", fraction = ""], { text, at }) =>
      whole === "" && /[\p{L}\p{N}]/u.test(text[at - 1] ?? "") ? undefined : unitsOf(decimalWords(whole, fraction)),
  },
  {
    name: "grouped-number",
    pattern: /\d{1,3}(?:,\d{3}){1,5}(?!\d|,\d)/y,
    say: ([all = ""]) => unitsOf(cardinalWords(all)),
  },
  {
    name: "code",
    pattern: /\d{5}(?:-\d{4})?(?!\d)/y,
    say: ([all = ""], { previous }) => (/^(?:zip|[A-Z]{2})$/i.test(previous) ? unitsOf(digitWords(all)) : undefined),
  },
  {
    name: "date",
    pattern: /(0?[1-9]|[12]\d|3[01])(?:,?\s+((?:1\d|20)\d\d)(?!\d))?(?!\d|[:.]\d)/y,
    say: ([, day = "", year = ""], { previous, text, at }) =>
      monthName.test(previous) && !/^\d{1,2}\s+(?:men|people|days|years|times)/.test(text.slice(at, at + 12))
        ? unitsOf(`${ordinalWords(day)}${year === "" ? "" : ` ${yearWords(year)}`}`)
        : undefined,
  },
  {
    name: "room-number",
    pattern: /([1-9])0([1-9])(?!\d)/y,
    say: ([, first = "", last = ""], { previous }) =>
      /^(?:room|flight|highway|route|area|suite|apartment)$/i.test(previous)
        ? unitsOf(`${cardinalWords(first)} oh ${cardinalWords(last)}`)
        : undefined,
  },
  {
    name: "year",
    pattern: /10[1-9]\d(?!\d)/y,
    say: ([all = ""], { previous }) =>
      /^(?:in|of|since|by|from|until|till|to|year|before|after|around|about|circa|c\.|ad|and)$/i.test(previous)
        ? unitsOf(yearWords(all))
        : undefined,
  },
  {
    name: "year",
    pattern: /(?:1[1-9]|20)\d\d(?!\d)/y,
    say: ([all = ""]) => unitsOf(yearWords(all)),
  },
  {
    name: "leading-zero",
    pattern: /0\d{1,14}(?!\d)/y,
    say: ([all = ""], { previous, blockKind }) =>
      blockKind === "heading" || /^(?:chapter|part|book|volume|section|act|scene)$/i.test(previous)
        ? unitsOf(cardinalWords(all))
        : unitsOf(digitWords(all)),
  },
  { name: "cardinal", pattern: /\d{1,15}(?!\d)/y, say: ([all = ""]) => unitsOf(cardinalWords(all)) },
];

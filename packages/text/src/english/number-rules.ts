import {
  cardinalWords,
  decimalWords,
  digitWords,
  fractionWords,
  ordinalWords,
  pluralWords,
  yearWords,
} from "./number-words.ts";
import { lettersOf, unitsOf, type PatternRule, type SpokenUnit } from "./spoken-rule.ts";

const months: Readonly<Record<string, string>> = {
  "01": "January",
  "02": "February",
  "03": "March",
  "04": "April",
  "05": "May",
  "06": "June",
  "07": "July",
  "08": "August",
  "09": "September",
  "10": "October",
  "11": "November",
  "12": "December",
};
const monthName =
  /^(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?$/i;

const currencies: Readonly<Record<string, readonly [string, string, string, string]>> = {
  $: ["dollar", "dollars", "cent", "cents"],
  "£": ["pound", "pounds", "penny", "pence"],
  "€": ["euro", "euros", "cent", "cents"],
  "¥": ["yen", "yen", "sen", "sen"],
  "￥": ["yen", "yen", "sen", "sen"],
  "₹": ["rupee", "rupees", "paisa", "paise"],
  "₽": ["ruble", "rubles", "kopeck", "kopecks"],
};
const scales: Readonly<Record<string, string>> = {
  k: "thousand",
  m: "million",
  mn: "million",
  bn: "billion",
  b: "billion",
  tn: "trillion",
};

const unitNames: Readonly<Record<string, readonly [string, string]>> = {
  km: ["kilometer", "kilometers"],
  cm: ["centimeter", "centimeters"],
  mm: ["millimeter", "millimeters"],
  m: ["meter", "meters"],
  kg: ["kilogram", "kilograms"],
  mg: ["milligram", "milligrams"],
  g: ["gram", "grams"],
  lb: ["pound", "pounds"],
  lbs: ["pounds", "pounds"],
  oz: ["ounce", "ounces"],
  ft: ["foot", "feet"],
  mi: ["mile", "miles"],
  ml: ["milliliter", "milliliters"],
  l: ["liter", "liters"],
  hz: ["hertz", "hertz"],
  khz: ["kilohertz", "kilohertz"],
  mhz: ["megahertz", "megahertz"],
  ghz: ["gigahertz", "gigahertz"],
  kb: ["kilobyte", "kilobytes"],
  mb: ["megabyte", "megabytes"],
  gb: ["gigabyte", "gigabytes"],
  tb: ["terabyte", "terabytes"],
  w: ["watt", "watts"],
  kw: ["kilowatt", "kilowatts"],
  v: ["volt", "volts"],
  mph: ["mile per hour", "miles per hour"],
  "km/h": ["kilometer per hour", "kilometers per hour"],
  "m/s": ["meter per second", "meters per second"],
  "°": ["degree", "degrees"],
  "°c": ["degree Celsius", "degrees Celsius"],
  "°f": ["degree Fahrenheit", "degrees Fahrenheit"],
  "℃": ["degree Celsius", "degrees Celsius"],
  "℉": ["degree Fahrenheit", "degrees Fahrenheit"],
};
/** Written with a full stop, since without one they are words. */
const shortUnits: ReadonlyMap<string, readonly [string, string]> = new Map([
  ["min", ["minute", "minutes"]],
  ["hr", ["hour", "hours"]],
  ["sec", ["second", "seconds"]],
  ["in", ["inch", "inches"]],
]);
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
  {
    name: "money",
    pattern: new RegExp(
      String.raw`(?:US|A|C)?([$£€¥￥₹₽])\s?${number}(?:[\s-]?(thousand|million|billion|trillion|mn|bn|tn|[kmb])${end})?`,
      "iuy",
    ),
    say: ([, symbol = "", whole = "", fraction = "", scale = ""]) => money(symbol, whole, fraction, scale),
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
    pattern: /(?:\+\d{1,3}[\s.-]?)?(?:\(\d{2,4}\)\s?|\d{3}[.-])?\d{3}[.-]\d{4}(?![\d-])|\+\d[\d\s.()-]{6,18}\d/y,
    say: ([all = ""]) =>
      unitsOf(
        `${all.startsWith("+") ? "plus " : ""}${(all.match(/\d+/g) ?? []).map((digits) => digitWords(digits)).join(" ")}`,
      ),
  },
  {
    name: "time",
    pattern: /([01]?\d|2[0-4]):([0-5]\d)(?!\d)(?:\s?([ap])\.?\s?m(?:\.(?!\s+\p{Lu})|(?![\p{L}])))?/iuy,
    say: ([, hours = "", minutes = "", half = ""]) => clock(hours, minutes, half === "" ? "" : `${half}m`),
  },
  {
    name: "time",
    pattern: /(1[0-2]|0?\d)\s?([ap])\.?\s?m(?:\.(?!\s+\p{Lu}|\s*$)|(?![\p{L}]))/iuy,
    say: ([, hours = "", half = ""]) => clock(hours, "", `${half}m`),
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
    pattern: new RegExp(String.raw`${number}[\s-]?(${unitPattern})${end}(?:\.(?=\s+\p{Ll}))?`, "iuy"),
    say: ([all = "", whole = "", fraction = "", unit = ""]) => {
      const names = unitNames[unit.toLowerCase()];
      // `5 V`, `6 m` and the like are units only when they are written so; a single capital is more often a name.
      if (!names || (/^[MGLW]$/.test(unit) && /\s/.test(all))) return undefined;
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
    pattern: /(\d{1,3})\s?(min|mins|hr|hrs|sec|secs|in)\.(?=\s+\p{Ll})/uy,
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
    pattern: /(\d{1,3})\/(\d{1,3})(?![\d/])/y,
    say: ([, numerator = "", denominator = ""]) =>
      denominator === "0" || denominator === "1" ? undefined : unitsOf(fractionWords(numerator, denominator)),
  },
  {
    name: "range",
    pattern: /(\d{1,4})\s?[–—-]\s?(\d{1,4})(?![\p{L}\p{N}-]|\.\d|,\d)/uy,
    say: ([, from = "", to = ""]) => unitsOf(`${plain(from)} to ${plain(to)}`),
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

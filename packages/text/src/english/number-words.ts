import { toCardinal, toOrdinal } from "n2words/en-US";

const digitNames = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/** The digits one by one: `90210` → `nine zero two one zero`; with `oh`, zeros are said "oh". */
export function digitWords(digits: string, zero: "zero" | "oh" = "zero"): string {
  let words = "";
  for (const digit of digits) {
    const name = digit === "0" ? zero : digitNames[Number(digit)];
    if (name) words += words === "" ? name : ` ${name}`;
  }
  return words;
}

/** A whole number in words; commas are allowed. Above 15 digits it is read digit by digit. */
export function cardinalWords(number: string): string {
  const digits = number.replaceAll(",", "").replace(/^0+(?=\d)/, "");
  return digits.length > 15 ? digitWords(digits) : toCardinal(digits);
}

/** `21` → `twenty-first`; zero is `zeroth`. */
export function ordinalWords(number: string): string {
  const digits = number.replaceAll(",", "").replace(/^0+(?=\d)/, "");
  if (digits === "0") return "zeroth";
  return digits.length > 15 ? `${digitWords(digits)}th` : toOrdinal(digits);
}

/** `0.9` → `zero point nine`, `802.11` → `eight hundred two point one one`. */
export function decimalWords(whole: string, fraction: string): string {
  return `${whole === "" ? "" : `${cardinalWords(whole)} `}point ${digitWords(fraction)}`;
}

/** A year or a number read like one: `1920` → `nineteen twenty`, `1905` → `nineteen oh five`, `1500` → `fifteen hundred`. */
export function yearWords(digits: string): string {
  const year = Number(digits);
  if (digits.length !== 4 || year % 1000 < 10) return cardinalWords(digits);
  const century = cardinalWords(digits.slice(0, 2));
  const rest = year % 100;
  if (rest === 0) return `${century} hundred`;
  return rest < 10 ? `${century} oh ${cardinalWords(String(rest))}` : `${century} ${cardinalWords(String(rest))}`;
}

/** The plural of the last word: `nineteen twenty` → `nineteen twenties`. */
export function pluralWords(words: string): string {
  if (/(?:x|s|ch|sh)$/.test(words)) return `${words}es`;
  return words.endsWith("y") ? `${words.slice(0, -1)}ies` : `${words}s`;
}

const denominators: Readonly<Record<string, string>> = { "2": "half", "4": "quarter" };

/** `3/4` → `three quarters`, `1/2` → `one half`. */
export function fractionWords(numerator: string, denominator: string): string {
  const one = cardinalWords(numerator) === "one";
  if (!one && denominator === "2") return `${cardinalWords(numerator)} halves`;
  const part = denominators[denominator] ?? ordinalWords(denominator);
  return `${cardinalWords(numerator)} ${one ? part : pluralWords(part)}`;
}

const romanValues: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };

/** Value of a well-formed Roman numeral up to 3,999; undefined for anything else. */
export function romanValue(numeral: string): number | undefined {
  if (!/^M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/.test(numeral) || numeral === "")
    return undefined;
  let value = 0;
  for (let i = 0; i < numeral.length; i++) {
    const here = romanValues[numeral[i] ?? ""] ?? 0;
    const next = romanValues[numeral[i + 1] ?? ""] ?? 0;
    value += here < next ? -here : here;
  }
  return value;
}

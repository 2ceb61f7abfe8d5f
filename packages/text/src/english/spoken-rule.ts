import type { BlockKind } from "@katari/core";

/** One spoken word of a rewriting: a word to be looked up, or a letter to be named. */
export interface SpokenUnit {
  readonly word: string;
  readonly letter?: true;
}

/** What a rule may look at. Offsets are UTF-16 units of `text`. */
export interface RuleContext {
  readonly text: string;
  readonly at: number;
  /** The word before, in its own case; empty at the start. */
  readonly previous: string;
  readonly blockKind: BlockKind;
  /** Whether the dictionaries have the word as written. */
  readonly isKnown: (word: string) => boolean;
}

/** What a rule answers: it takes the text up to `end` and says `units` for it (none: it is not said). */
export interface RuleAnswer {
  readonly rule: string;
  readonly end: number;
  readonly units: readonly SpokenUnit[];
}

/** One rule of a pattern: the pattern is sticky; `say` returns undefined when the rule does not apply after all. */
export interface PatternRule {
  readonly name: string;
  readonly pattern: RegExp;
  /** The pattern ends in an abbreviation: its full stop is taken too, unless it is the sentence's own. */
  readonly abbreviates?: true;
  readonly say: (groups: readonly string[], context: RuleContext) => readonly SpokenUnit[] | undefined;
}

/** Words of a phrase as units: `five hundred` → two. */
export function unitsOf(phrase: string): SpokenUnit[] {
  return phrase
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => ({ word }));
}

/** Letters of an abbreviation as units: `AM` → `A`, `M`. */
export function lettersOf(letters: string): SpokenUnit[] {
  return Array.from(letters.toUpperCase())
    .filter((letter) => /\p{L}/u.test(letter))
    .map((word) => ({ word, letter: true }));
}

/** A full stop behind which the sentence goes on. Case matters here, so it cannot stand in a pattern that ignores case. */
const stopInside = /^\.(?:[,;:)–—-]|\s+[\p{Ll}\d(])/u;

/** Tries the rules in order at one place. */
export function applyRules(rules: readonly PatternRule[], context: RuleContext): RuleAnswer | undefined {
  for (const rule of rules) {
    rule.pattern.lastIndex = context.at;
    const match = rule.pattern.exec(context.text);
    if (!match || match[0] === "") continue;
    const found = rule.pattern.lastIndex;
    const end = rule.abbreviates && stopInside.test(context.text.slice(found, found + 4)) ? found + 1 : found;
    const units = rule.say(
      match.map((group) => group ?? ""),
      context,
    );
    if (units) return { rule: rule.name, end, units };
  }
  return undefined;
}

/**
 * English letters to sounds, for words that no dictionary has and where there is no trained model. Each rule is
 * `[letters, sound]` or `[letters, sound, before, after]`; the longest letters that match win, in order. After the
 * regularities in Venezky, The American Way of Spelling (1999).
 */
type Rule = readonly [letters: string, sound: string, before?: RegExp | undefined, after?: RegExp];

const start = /^$/;
const finish = /^$/;
const front = /^[eiy]/;
/** A consonant and a final e: the vowel before it is long (`cake`). */
const magicE = /^(?:[bcdfgklmnpstvz]|th|st)e(?:s|d)?$/;

const rules: readonly Rule[] = [
  ["tion", "ʃən"],
  ["sion", "ʒən", /[aeiou]$/],
  ["sion", "ʃən"],
  ["cious", "ʃəs"],
  ["tious", "ʃəs"],
  ["cian", "ʃən"],
  ["ture", "ʧəɹ", /.$/, finish],
  ["ough", "O"],
  ["augh", "ɔ"],
  ["eigh", "A"],
  ["igh", "I"],
  ["tch", "ʧ"],
  ["dge", "ʤ"],
  ["sch", "sk"],
  ["eau", "O"],
  ["ous", "əs", /.$/, finish],
  ["ing", "ɪŋ", /.$/],
  ["age", "ɪʤ", /..$/, finish],
  ["qu", "kw"],
  ["ch", "k", start, /^[rl]/],
  ["ch", "ʧ"],
  ["sh", "ʃ"],
  ["ph", "f"],
  ["th", "θ"],
  ["wh", "w"],
  ["wr", "ɹ", start],
  ["kn", "n", start],
  ["gn", "n", start],
  ["ps", "s", start],
  ["gh", "ɡ", start],
  ["gh", ""],
  ["ck", "k"],
  ["ng", "ŋ", /.$/, /^(?:$|[^aeiouylr])/],
  ["ng", "ŋɡ"],
  ["nk", "ŋk"],
  ["sc", "s", undefined, front],
  ["mb", "m", /.$/, finish],
  ["ee", "i"],
  ["ea", "i"],
  ["ai", "A"],
  ["ay", "A"],
  ["ei", "A"],
  ["ey", "i", /.$/, finish],
  ["ey", "A"],
  ["oa", "O"],
  ["oo", "u"],
  ["ou", "W"],
  ["ow", "O", /.$/, finish],
  ["ow", "W"],
  ["oi", "Y"],
  ["oy", "Y"],
  ["au", "ɔ"],
  ["aw", "ɔ"],
  ["eu", "u"],
  ["ew", "u"],
  ["ie", "i"],
  ["ue", "u", /.$/, finish],
  ["ui", "u"],
  ["arr", "ɛɹ"],
  ["ar", "ɑɹ"],
  ["er", "əɹ", /.$/, finish],
  ["er", "ɜɹ"],
  ["ir", "ɜɹ"],
  ["ur", "ɜɹ"],
  ["or", "ɔɹ"],
  ["yr", "ɪɹ"],
  ["le", "ᵊl", /[bcdfgkpstz]$/, finish],
  ["es", "ᵻz", /[szx]$/, finish],
  ["ed", "d", /[aeiou].*[^td]$/, finish],
  ["a", "ə", /.[bcdfghjklmnprstvwxyz]$/, finish],
  ["a", "A", undefined, magicE],
  ["a", "æ"],
  ["e", "", /[aeiouy].*[^aeiouy]$/, finish],
  ["e", "", /[aeiouy].*[^aeiouy]$/, /^s$/],
  ["e", "i", undefined, magicE],
  ["e", "i", /^[^aeiouy]*$/, finish],
  ["e", "ɛ"],
  ["i", "I", undefined, magicE],
  ["i", "I", /^[^aeiouy]*$/, finish],
  ["i", "i", /.$/, /^(?:$|[aou])/],
  ["i", "ɪ"],
  ["o", "O", undefined, magicE],
  ["o", "O", /.?$/, finish],
  ["o", "ɑ"],
  ["u", "u", undefined, magicE],
  ["u", "u", /.$/, finish],
  ["u", "ʌ"],
  ["y", "j", start, /^[aeiou]/],
  ["y", "I", /^[^aeiou]*$/, finish],
  ["y", "i", /.$/, finish],
  ["y", "ɪ"],
  ["bb", "b"],
  ["cc", "ks", undefined, front],
  ["cc", "k"],
  ["c", "s", undefined, front],
  ["c", "k"],
  ["dd", "d"],
  ["ff", "f"],
  ["gg", "ɡ"],
  ["g", "ʤ", /.$/, /^e$/],
  ["g", "ʤ", undefined, /^[iy](?!$)[^bfg]/],
  ["g", "ɡ"],
  ["ll", "l"],
  ["mm", "m"],
  ["nn", "n"],
  ["pp", "p"],
  ["rr", "ɹ"],
  ["ss", "s"],
  ["s", "z", /[aeiouy]$/, /^[aeiou]/],
  ["s", "z", /[bdgmnlrv]$/, finish],
  ["s", "s"],
  ["tt", "t"],
  ["zz", "z"],
  ["b", "b"],
  ["d", "d"],
  ["f", "f"],
  ["h", "", /[aeiou]$/, finish],
  ["h", "h"],
  ["j", "ʤ"],
  ["k", "k"],
  ["l", "l"],
  ["m", "m"],
  ["n", "n"],
  ["p", "p"],
  ["q", "k"],
  ["r", "ɹ"],
  ["t", "t"],
  ["v", "v"],
  ["w", "w"],
  ["x", "z", start],
  ["x", "ks"],
  ["z", "z"],
];

const byFirst = new Map<string, Rule[]>();
for (const rule of rules) {
  const letter = rule[0][0] ?? "";
  byFirst.set(
    letter,
    [...(byFirst.get(letter) ?? []), rule].sort((a, b) => b[0].length - a[0].length),
  );
}

/** Phonemes for a word of the letters a to z (others are passed over); the first syllable is stressed. */
export function letterToSound(word: string): string {
  const letters = word.toLowerCase().replace(/[^a-z]/g, "");
  let phonemes = "";
  for (let at = 0; at < letters.length;) {
    const rest = letters.slice(at);
    const done = letters.slice(Math.max(0, at - 6), at);
    const rule = byFirst
      .get(letters[at] ?? "")
      ?.find(
        ([spelled, , before, after]) =>
          rest.startsWith(spelled) &&
          (!before || before.test(done)) &&
          (!after || after.test(rest.slice(spelled.length, spelled.length + 4))),
      );
    phonemes += rule?.[1] ?? "";
    at += rule?.[0].length ?? 1;
  }
  return phonemes.replace(/([AIOWYaiuæɑɔəɛɜɪʊʌ])/u, "ˈ$1");
}

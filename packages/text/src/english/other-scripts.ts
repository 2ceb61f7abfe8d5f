/**
 * Letters of other scripts, brought to the Latin letters that an English reader would say them by. Only so that
 * nothing is lost in an English text: a language with a voice of its own gets rules of its own.
 */
const greek = "α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ i φ f χ ch ψ ps ω o";
const cyrillic =
  "а a б b в v г g д d е e ё yo ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ sh " +
  "ъ - ы y ь - э e ю yu я ya і i ї yi є ye ґ g";
const latin = "ß ss æ ae œ oe ø o ł l đ d ð th þ th ı i ŋ ng ħ h ſ s ə a ƒ f ĳ ij";
const kana =
  "あ a い i う u え e お o か ka き ki く ku け ke こ ko さ sa し shi す su せ se そ so た ta ち chi つ tsu て te と to " +
  "な na に ni ぬ nu ね ne の no は ha ひ hi ふ fu へ he ほ ho ま ma み mi む mu め me も mo や ya ゆ yu よ yo " +
  "ら ra り ri る ru れ re ろ ro わ wa ゐ i ゑ e を o ん n ぁ a ぃ i ぅ u ぇ e ぉ o ゃ ya ゅ yu ょ yo っ - ゎ wa " +
  "が ga ぎ gi ぐ gu げ ge ご go ざ za じ ji ず zu ぜ ze ぞ zo だ da ぢ ji づ zu で de ど do ば ba び bi ぶ bu べ be ぼ bo " +
  "ぱ pa ぴ pi ぷ pu ぺ pe ぽ po ゔ vu ー - ゝ - ゞ - ゟ yori ヿ koto";

function table(list: string): ReadonlyMap<string, string> {
  const parts = list.split(" ");
  const map = new Map<string, string>();
  for (let i = 0; i + 1 < parts.length; i += 2)
    map.set(parts[i] ?? "", parts[i + 1] === "-" ? "" : (parts[i + 1] ?? ""));
  return map;
}
const letters = new Map([...table(greek), ...table(cyrillic), ...table(latin), ...table(kana)]);

/** Latin letters and apostrophes for a word; undefined when it has a letter that no table here knows. */
export function toLatin(word: string): string | undefined {
  if (/^[A-Za-z']+$/.test(word)) return word;
  let result = "";
  for (const character of word.normalize("NFKD")) {
    if (/[A-Za-z']/.test(character)) result += character;
    else if (/[\u30a1-\u30f6]/.test(character)) {
      result += letters.get(String.fromCodePoint((character.codePointAt(0) ?? 0) - 0x60)) ?? "";
    } else if (!/[\p{M}\p{Cf}]/u.test(character)) {
      const lower = character.toLowerCase();
      const written = letters.get(lower);
      if (written === undefined) return undefined;
      result += lower === character ? written : written.slice(0, 1).toUpperCase() + written.slice(1);
    }
  }
  return result;
}

/** Phonemes of a kana word as Latin syllables are not looked up but said as they stand: `ka` → `kɑ`. */
export function syllables(latinWord: string): string {
  const said = latinWord
    .toLowerCase()
    .replaceAll("sh", "ʃ")
    .replaceAll("ch", "ʧ")
    .replaceAll("j", "ʤ")
    .replaceAll("y", "j")
    .replaceAll("g", "ɡ")
    .replaceAll("r", "ɹ")
    .replaceAll("a", "ɑ")
    .replaceAll("e", "ɛ")
    .replaceAll("o", "O");
  return said.replace(/([ɑiuɛO])/u, "ˈ$1");
}

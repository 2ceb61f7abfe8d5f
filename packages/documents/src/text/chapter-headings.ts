const named =
  /^(?:(?:the\s+)?(?:chapter|part|book|volume|letter|act|scene|canto|stave|section|kapitel|teil|chapitre|partie|livre|capítulo|capitulo|parte|libro|capitolo|hoofdstuk)\s+(?:the\s+)?(?:[ivxlcdm]+|\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|(?:twenty|thirty|forty|fifty)[- ]?\w*|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)\b)(?:\s*[.:—–-]\s*.*|\s+.*)?$/iu;
const alone =
  /^(?:prologue|epilogue|preface|introduction|foreword|afterword|conclusion|interlude|prolog|epilog|vorwort|nachwort|préface|prólogo|epílogo|序|序章|序文|終章|プロローグ|エピローグ|あとがき|まえがき|はじめに|おわりに)[.:]?$/iu;
const roman = /^(?=[IVXL])(?:XL|L?X{0,4})(?:IX|IV|V?I{0,4})\.?$/u;
const romanTitled = /^(?=[IVXL])(?:XL|L?X{0,4})(?:IX|IV|V?I{0,4})\.\s+\S.{0,70}$/u;
const japanese = /^第[一二三四五六七八九十百〇零\d０-９]+[章話回部編篇節巻](?:[\s　:：].*)?$/u;

/** `1`, `12.`: the reader of the whole text sees whether such lines count up. */
const number = /^\d{1,3}\.?$/u;

export type HeadingStyle = "named" | "roman" | "japanese" | "number";

/** The style in which a line that stands alone is the heading of a chapter, or undefined for other lines. */
export function headingStyle(line: string): HeadingStyle | undefined {
  const text = line.replace(/\s+/gu, " ").trim();
  if (text === "" || text.length > 100) return undefined;
  if (japanese.test(text)) return "japanese";
  // A sentence that begins with “Part two” ends like one; a heading seldom does, and then it is short.
  if (alone.test(text) || (named.test(text) && (!/[.!?”"]$/u.test(text) || text.length < 50))) return "named";
  if (number.test(text)) return "number";
  return roman.test(text) || romanTitled.test(text) ? "roman" : undefined;
}

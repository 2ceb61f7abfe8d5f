/**
 * Marks that call a note: `[15]`, and numbers that cling to a word's end with its stop or as superscripts (`so.12`,
 * `“gone”3`, `said¹`). Behind abbreviations (`vol.3`) and short words (`x²`) they are the text's own numbers. Source of an
 * expression with the flag `u`.
 */
export const referenceMarkSource = [
  String.raw`\[(?:\d{1,4}(?:\s?[,–-]\s?\d{1,4}){0,8}|[*†‡§])\]`,
  String.raw`(?<=\p{Ll}{3}[.,;:!?]?["”’)]?)[⁰¹²³⁴-⁹]{1,3}(?![\p{L}\p{N}])`,
  String.raw`(?<=\p{Ll}{3}(?:[.,;:!?]["”’]?|["”]))(?<!(?:^|[^\p{L}])(?:[Nn]os|[Vv]ols?|[Cc]hap|[Ff]igs?|[Ss]ec|[Aa]rt|[Vv]er|Apr|Aug|Dec|Feb|Jan|Jul|Jun|Mar|Nov|Oct|Sept?)\.)\d{1,3}(?=[\s)”’"]|$)`,
].join("|");

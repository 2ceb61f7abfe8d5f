/** A title for text without one: its first six words, 40 characters at most. */
export function firstWords(text: string): string {
  const folded = text.replace(/\s+/gu, " ").trim();
  const words = folded.split(" ").slice(0, 6).join(" ");
  const short = Array.from(words).slice(0, 40).join("");
  return short.length < folded.length ? `${short}…` : short;
}

/** What windows-1252 has for bytes 0x80 to 0x9F (WHATWG encoding standard, index windows-1252). */
const upper = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ";

/**
 * Decodes bytes by the label of an encoding. Undefined when no standard knows the label, or when `fatal` is set and the
 * bytes are not in that encoding; without `fatal` such bytes become U+FFFD, as browsers do it.
 */
export function decodeBytes(bytes: Uint8Array, label: string, fatal: boolean): string | undefined {
  try {
    const decoder = new TextDecoder(label, { fatal });
    const text = decoder.decode(bytes);
    if (decoder.encoding !== "windows-1252") return text;
    // Node 20 decodes windows-1252 as ISO 8859-1, where these bytes are control characters.
    return text.replace(/[\u0080-\u009F]/gu, (character) => upper[character.charCodeAt(0) - 0x80] ?? character);
  } catch {
    return undefined;
  }
}
